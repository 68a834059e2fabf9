"""The names of keys: what must be written together lies together."""

from redis.crc import key_slot

from service.store import derive_match_id, is_match_id, new_match_id
from service.store.keys import Keys, bucket_of


def test_all_keys_of_a_match_lie_in_one_slot() -> None:
    keys = Keys("umpire:")
    for _ in range(100):
        match_id = new_match_id()
        assert is_match_id(match_id)
        names = [name(match_id) for name in (keys.match, keys.log, keys.scratch)] + [
            name(bucket_of(match_id)) for name in (keys.due, keys.sweeper, keys.channel)
        ]
        assert len({key_slot(name.encode()) for name in names}) == 1


def test_a_derived_id_is_always_the_same_and_a_malformed_one_is_none() -> None:
    assert derive_match_id(b"x" * 32) == derive_match_id(b"x" * 32) != derive_match_id(b"y" * 32)
    for text in ("", "0a1", "fff-" + "a" * 24, "0a1-" + "a" * 23, "0A1-" + "a" * 24, "0a1-" + "a" * 24 + "\n", "{}", "../../etc"):
        assert not is_match_id(text)
