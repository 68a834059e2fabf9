"""Where matches are kept: Redis and bytes, nothing of games."""

from service.store._durable import Durability
from service.store.errors import Applied, Corrupt, StoreError, StoreUnavailable
from service.store.keys import all_buckets, bucket_of, derive_match_id, is_match_id, new_match_id
from service.store.listening import Listening
from service.store.store import CommitResult, Due, Store, Stored, StoreObserver, Timing

__all__ = [
    "Applied",
    "CommitResult",
    "Corrupt",
    "Due",
    "Durability",
    "Listening",
    "Store",
    "StoreError",
    "StoreObserver",
    "StoreUnavailable",
    "Stored",
    "Timing",
    "all_buckets",
    "bucket_of",
    "derive_match_id",
    "is_match_id",
    "new_match_id",
]
