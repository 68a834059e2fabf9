"""The commit script: all or nothing, whatever fails at whatever point."""

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from types import SimpleNamespace

import pytest

from service.private_redis import PrivateRedis
from service.store import CommitResult, Corrupt, Store, StoreUnavailable, new_match_id
from service.store.keys import Keys

SCRIPT = files("service.store").joinpath("commit.lua").read_text()
TTL_MS = 60_000


pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])


async def create(store: Store, entries: Sequence[bytes] = (b"one",)) -> tuple[str, int]:
    match_id, revision = new_match_id(), store.next_revision("", 0)
    assert await store.commit(match_id, 0, revision, 0, b"first", entries, TTL_MS) is CommitResult.COMMITTED
    return match_id, revision


async def seen(store: Store, match_id: str, version: int) -> tuple[object, object]:
    return await store.load(match_id), await store.entries(match_id, 0, version, 100)


async def test_a_new_match_is_stored_with_its_log_and_expires(store: Store, key_prefix: str) -> None:
    match_id, revision = await create(store)
    stored = await store.load(match_id)
    assert stored is not None
    assert (stored.revision, stored.snapshot) == (revision, b"first")
    assert await store.entries(match_id, 0, 1, 10) == [(1, b"one")]
    keys = Keys(key_prefix)
    for key in (keys.match(match_id), keys.log(match_id)):
        assert 0 < await store._servers.client.pttl(key) <= TTL_MS


async def test_one_of_many_commits_wins(store: Store) -> None:
    match_id, revision = await create(store)
    results = await asyncio.gather(*(store.commit(match_id, revision, revision + 1, 1, b"%d" % i, [b"two"], TTL_MS) for i in range(64)))
    assert results.count(CommitResult.COMMITTED) == 1
    assert results.count(CommitResult.CONFLICT) == 63
    winner = results.index(CommitResult.COMMITTED)
    stored = await store.load(match_id)
    assert stored is not None
    assert stored.snapshot == b"%d" % winner


async def test_a_deleted_match_is_not_brought_back(store: Store) -> None:
    match_id, revision = await create(store)
    assert await store.delete(match_id)
    assert not await store.delete(match_id)
    assert await store.commit(match_id, revision, revision + 1, 1, b"late", [b"two"], TTL_MS) is CommitResult.GONE
    assert await seen(store, match_id, 2) == (None, [])


async def test_a_match_made_again_under_its_id_has_a_revision_that_no_memory_has(store: Store) -> None:
    match_id, revision = await create(store)
    await store.delete(match_id)
    await asyncio.sleep(0.002)
    again = store.next_revision("", 0)
    assert again > revision + 1
    assert await store.commit(match_id, 0, again, 0, b"again", [], TTL_MS) is CommitResult.COMMITTED
    assert await store.commit(match_id, revision, revision + 1, 1, b"old", [b"two"], TTL_MS) is CommitResult.CONFLICT


async def test_a_taken_id_is_a_conflict(store: Store) -> None:
    match_id, revision = await create(store)
    assert await store.commit(match_id, 0, revision + 9, 0, b"other", [b"x"], TTL_MS) is CommitResult.CONFLICT
    stored = await store.load(match_id)
    assert stored is not None
    assert stored.snapshot == b"first"


async def test_keys_of_another_type_are_reported_and_left_alone(store: Store, key_prefix: str) -> None:
    match_id, revision = await create(store)
    keys = Keys(key_prefix)
    await store._servers.client.delete(keys.log(match_id))
    await store._servers.client.set(keys.log(match_id), "text")
    assert await store.commit(match_id, revision, revision + 1, 1, b"x", [b"y"], TTL_MS) is CommitResult.CORRUPT
    with pytest.raises(Corrupt):
        await store.entries(match_id, 0, 1, 10)
    await store._servers.client.delete(keys.match(match_id))
    await store._servers.client.set(keys.match(match_id), "text")
    assert await store.commit(match_id, revision, revision + 1, 1, b"x", [b"y"], TTL_MS) is CommitResult.CORRUPT
    with pytest.raises(Corrupt):
        await store.load(match_id)


async def test_a_log_that_is_behind_is_reported(store: Store, key_prefix: str) -> None:
    match_id, revision = await create(store)
    assert await store.commit(match_id, revision, revision + 1, 2, b"x", [b"y"], TTL_MS) is CommitResult.CORRUPT


async def test_what_a_failed_commit_left_in_the_log_is_not_there_for_anybody(store: Store, key_prefix: str) -> None:
    match_id, revision = await create(store, (b"one", b"two"))
    await store._servers.client.xadd(Keys(key_prefix).log(match_id), {"e": "left over"}, id="3-0")
    await store._servers.client.xadd(Keys(key_prefix).log(match_id), {"e": "left over too"}, id="4-0")
    assert await store.commit(match_id, revision, revision + 1, 2, b"x", [b"three"], TTL_MS) is CommitResult.COMMITTED
    assert await store.entries(match_id, 0, 9, 9) == [(1, b"one"), (2, b"two"), (3, b"three")]


async def test_the_script_survives_being_forgotten(store: Store) -> None:
    match_id, revision = await create(store)
    await store._servers.client.script_flush()
    assert await store.commit(match_id, revision, revision + 1, 1, b"second", [b"two"], TTL_MS) is CommitResult.COMMITTED


async def test_a_refusal_for_want_of_memory_is_unavailable_and_changes_nothing(tmp_path_factory: pytest.TempPathFactory) -> None:
    redis = PrivateRedis(tmp_path_factory.mktemp("oom"))
    redis.start()
    store = Store(redis.url)
    try:
        await store.open()
        match_id, revision = await create(store)
        await store._servers.client.config_set("maxmemory", "1mb")
        with pytest.raises(StoreUnavailable) as refused:
            await store.commit(match_id, revision, revision + 1, 1, b"x" * 4_000_000, [b"y"], TTL_MS)
        assert refused.value.applied.value == "NO"
        await store._servers.client.config_set("maxmemory", "0")
        stored = await store.load(match_id)
        assert stored is not None
        assert stored.revision == revision
    finally:
        await store.close()
        redis.stop()


def failing_at(call: int, *, and_after: bool) -> str:
    """Rewrite the script so that its ``call``-th command of Redis fails (and, if asked, all after it)."""
    head = f"""
local real, made = redis, 0
local function fails() made = made + 1; return {"made >=" if and_after else "made =="} {call} end
local redis = {{
  call = function(...)
    if fails() then error('injected') end
    return real.call(...)
  end,
}}
"""
    return head + SCRIPT


SHAPES = {"create": (True, (b"one",)), "claim": (False, ()), "move": (False, (b"two",)), "move and answers": (False, (b"two", b"three", b"four"))}


@pytest.mark.parametrize("and_after", [False, True], ids=["one command", "all from there on"])
@pytest.mark.parametrize("shape", SHAPES)
async def test_a_failure_at_any_command_leaves_no_half_commit(
    store: Store, shape: str, and_after: bool, key_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_new, entries = SHAPES[shape]
    failures = 0
    for call in range(1, 40):
        if is_new:
            match_id, expected, becomes, before = new_match_id(), 0, store.next_revision("", 0), 0
        else:
            match_id, expected = await create(store)
            becomes, before = expected + 1, 1
        untouched = await seen(store, match_id, before + len(entries) if is_new else before)
        with monkeypatch.context() as patched:
            script = failing_at(call, and_after=and_after)
            patched.setattr(store, "_commit_script", SimpleNamespace(text=script, digest="0" * 40))  # unknown to Redis: the text is sent
            try:
                result = await store.commit(match_id, expected, becomes, before, b"half", entries, TTL_MS)
            except StoreUnavailable as failure:
                result = None
                failures += 1
                assert failure.applied.value == "NO"
        if result is CommitResult.COMMITTED:
            break
        assert result is None
        assert await seen(store, match_id, before) == (untouched[0], untouched[1] if not is_new else []), f"command {call}"
        assert await store.commit(match_id, expected, becomes, before, b"whole", entries, TTL_MS) is CommitResult.COMMITTED, f"command {call}"
        loaded, log = await seen(store, match_id, before + len(entries))
        assert loaded == (becomes, b"whole")
        assert not await store._servers.client.exists(Keys(key_prefix).scratch(match_id))
        assert [version for version, _ in log] == list(range(1, before + len(entries) + 1)), f"command {call}"
    assert failures == call - 1 >= 4, "the script reads and writes more than that"
