"""What can go wrong with the store.

StoreError
├── StoreUnavailable    it does not answer; ``applied`` says what is known of a write
└── Corrupt             what lies there is not what this service wrote
"""

from enum import Enum

from redis.exceptions import RedisError


class Applied(Enum):
    """What is known of a write that was not acknowledged."""

    NO = "NO"
    UNKNOWN = "UNKNOWN"


class StoreError(Exception):
    """The store failed."""


class StoreUnavailable(StoreError):
    """The store does not answer, or refuses to write. NO: it was never sent, or was refused; UNKNOWN: sent, the answer was lost."""

    def __init__(self, message: str, applied: Applied = Applied.NO) -> None:
        super().__init__(message)
        self.applied = applied


class Corrupt(StoreError):
    """What lies at a match's keys is not what this service wrote."""


def refusal(error: RedisError) -> str:
    """Return the first word of what Redis said; redis-py takes it off the texts of the errors that it knows."""
    return error.status_code or str(error).split(" ", 1)[0]
