"""What the store answers, to whom, and on whose clock."""

import asyncio
import time
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

from service.store import Applied, CommitResult, Corrupt, Store, StoreUnavailable, new_match_id
from service.store.keys import Keys
from tests.service.store.scripted_redis import ScriptedRedis

pytestmark = pytest.mark.asyncio(loop_factories=["uvloop"])

TTL_MS = 600_000
SCRIPT = files("service.store").joinpath("commit.lua").read_text()


@pytest.fixture
def keys(key_prefix: str) -> Keys:
    return Keys(key_prefix)


async def create(store: Store, *entries: bytes, ttl_ms: int = TTL_MS) -> tuple[str, int]:
    match_id, revision = new_match_id(), store.next_revision("", 0)
    assert await store.commit(match_id, 0, revision, 0, b"first", entries, ttl_ms) is CommitResult.COMMITTED
    return match_id, revision


@pytest.mark.parametrize("match_id", ["", "{}", "*", "0a1-short", "fff-" + "a" * 24, "0a1-" + "A" * 24, "é" * 28, "0a1}" + "a" * 24])
async def test_a_malformed_id_is_not_found(store: Store, match_id: str) -> None:
    assert await store.load(match_id) is None
    assert await store.revision(match_id) is None
    assert await store.entries(match_id, 0, 9, 9) == []
    assert await store.delete(match_id) is False


async def test_entries_are_listed_within_their_bounds(store: Store) -> None:
    match_id, _ = await create(store, b"a", b"b", b"c", b"d")
    assert await store.entries(match_id, 0, 4, 9) == [(1, b"a"), (2, b"b"), (3, b"c"), (4, b"d")]
    assert await store.entries(match_id, 1, 3, 9) == [(2, b"b"), (3, b"c")]
    assert await store.entries(match_id, 1, 4, 2) == [(2, b"b"), (3, b"c")]
    assert await store.entries(match_id, 4, 4, 9) == await store.entries(match_id, 0, 4, 0) == []


async def test_every_commit_renews_both_times_to_live_even_one_without_entries(store: Store, keys: Keys) -> None:
    match_id, revision = await create(store, b"one", ttl_ms=5_000)
    assert await store.commit(match_id, revision, revision + 1, 1, b"second", [], TTL_MS) is CommitResult.COMMITTED
    for key in (keys.match(match_id), keys.log(match_id)):
        assert 5_000 < await store._servers.client.pttl(key) <= TTL_MS


async def test_a_match_that_has_expired_is_gone(store: Store) -> None:
    match_id, revision = await create(store, b"one", ttl_ms=20)
    await asyncio.sleep(0.05)
    assert await store.load(match_id) is None
    assert await store.commit(match_id, revision, revision + 1, 1, b"late", [b"two"], TTL_MS) is CommitResult.GONE


async def test_a_match_may_begin_without_a_log(store: Store) -> None:
    match_id, revision = await create(store)
    assert await store.entries(match_id, 0, 5, 5) == []
    assert await store.commit(match_id, revision, revision + 1, 0, b"dealt", [b"set-up"], TTL_MS) is CommitResult.COMMITTED
    assert await store.entries(match_id, 0, 1, 5) == [(1, b"set-up")]


@pytest.mark.parametrize("fields", [{"r": "many", "s": "x"}, {"r": "7"}], ids=["no number", "no snapshot"])
async def test_a_match_that_is_not_ours_is_corrupt(store: Store, keys: Keys, fields: dict[str, str]) -> None:
    match_id = new_match_id()
    await store._servers.client.hset(keys.match(match_id), mapping=fields)
    with pytest.raises(Corrupt):
        await store.load(match_id)


async def test_a_key_of_another_type_is_corrupt_for_all_reads(store: Store, keys: Keys) -> None:
    match_id = new_match_id()
    await store._servers.client.set(keys.match(match_id), "text")
    await store._servers.client.set(keys.log(match_id), "text")
    for read in (store.load(match_id), store.revision(match_id), store.entries(match_id, 0, 1, 1)):
        with pytest.raises(Corrupt):
            await read


@pytest.mark.parametrize(("entry_id", "field"), [("1-5", "e"), ("1-0", "other")])
async def test_a_log_entry_that_is_not_ours_is_corrupt(store: Store, keys: Keys, entry_id: str, field: str) -> None:
    match_id, revision = await create(store)
    await store._servers.client.xadd(keys.log(match_id), {field: "x"}, id=entry_id)
    if entry_id == "1-5":
        assert await store.commit(match_id, revision, revision + 1, 0, b"x", [b"y"], TTL_MS) is CommitResult.CORRUPT
    with pytest.raises(Corrupt):
        await store.entries(match_id, 0, 2, 5)


async def test_a_gap_in_the_log_is_corrupt_and_nothing_is_mended(store: Store, keys: Keys) -> None:
    match_id, revision = await create(store, b"one", b"two", b"three")
    await store._servers.client.xdel(keys.log(match_id), "2-0")
    await store._servers.client.xadd(keys.log(match_id), {"e": "left over"}, id="4-0")
    assert await store.commit(match_id, revision, revision + 1, 3, b"x", [b"four"], TTL_MS) is CommitResult.CORRUPT
    assert len(await store.entries(match_id, 0, 9, 9)) == 3


def failing_at(call: int) -> str:
    return f"""
local real, made = redis, 0
local redis = {{ call = function(...)
  made = made + 1
  if made == {call} then error('injected') end
  return real.call(...)
end }}
{SCRIPT}"""


async def commit_failing_at(store: Store, call: int, *arguments: object) -> CommitResult | None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "_commit_script", SimpleNamespace(text=failing_at(call), digest="0" * 40))  # unknown to Redis: the text is sent
        try:
            return await store.commit(*arguments)  # type: ignore[arg-type]
        except StoreUnavailable as error:
            assert error.applied is Applied.NO
            return None


async def test_a_creation_that_fails_leaves_no_key_behind_that_would_never_expire(store: Store, keys: Keys) -> None:
    call = 0
    while True:
        call += 1
        match_id = new_match_id()
        if await commit_failing_at(store, call, match_id, 0, 7, 0, b"first", [b"one", b"two"], TTL_MS) is not None:
            break
        assert await store._servers.client.exists(keys.match(match_id), keys.log(match_id), keys.scratch(match_id)) == 0, f"command {call}"
    assert call > 8


async def test_a_log_can_be_mended_again_after_mending_it_has_failed(store: Store, keys: Keys) -> None:
    call = 0
    while True:
        call += 1
        match_id, revision = await create(store, b"one", b"two")
        for version in (3, 4):
            await store._servers.client.xadd(keys.log(match_id), {"e": "left over"}, id=f"{version}-0")
        commit = (match_id, revision, revision + 1, 2, b"second", [b"three"], TTL_MS)
        if await commit_failing_at(store, call, *commit) is not None:
            break
        stored = await store.load(match_id)
        assert (stored, await store.entries(match_id, 0, 2, 9)) == ((revision, b"first"), [(1, b"one"), (2, b"two")]), f"command {call}"
        assert await store._servers.client.exists(keys.scratch(match_id)) == 0, f"command {call}"
        assert await store._servers.client.pttl(keys.log(match_id)) > 0, f"command {call}"
        assert await store.commit(*commit) is CommitResult.COMMITTED, f"command {call}"
        assert await store.entries(match_id, 0, 9, 9) == [(1, b"one"), (2, b"two"), (3, b"three")], f"command {call}"
    assert call > 12


async def test_the_observer_hears_of_every_call(store: Store, redis_server: object, keys: Keys) -> None:
    heard: list[tuple[str, str]] = []

    class Observer:
        def observe(self, command: str, seconds: float, outcome: str) -> None:
            assert 0 <= seconds < 2
            heard.append((command, outcome))

    store._observer = Observer()
    match_id, revision = await create(store, b"one")
    await store.commit(match_id, revision + 5, revision + 6, 1, b"x", [], TTL_MS)
    await store.load(match_id)
    await store.entries(match_id, 0, 1, 1)
    await store._servers.client.set(keys.match(match_id), "text")
    with pytest.raises(Corrupt):
        await store.revision(match_id)
    await store._servers.close()
    with pytest.raises(StoreUnavailable):
        await store.delete(match_id)
    assert heard == [("commit", "committed"), ("commit", "conflict"), ("load", "ok"), ("entries", "ok"), ("revision", "corrupt"), ("delete", "unavailable")]


async def test_the_clock_is_that_of_redis(one: Store) -> None:
    seconds, microseconds = await one._servers.client.time()
    assert abs(one.now_ms() - (seconds * 1000 + microseconds // 1000)) < 50


async def test_the_clock_of_this_machine_may_be_wrong_and_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedRedis(tmp_path, lambda _: b"*2\r\n$10\r\n1000000000\r\n$6\r\n500000\r\n") as in_2001:
        store = Store(in_2001.url)
        await store.open()
        assert 0 <= store.now_ms() - 1_000_000_000_500 < 200
        monkeypatch.setattr(time, "time", lambda: 0.0)
        assert 0 <= store.now_ms() - 1_000_000_000_500 < 200
        await store.close()
