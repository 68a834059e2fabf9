"""Digests that chain over the steps of a match: each depends on all before it."""

import hashlib


def chain(previous: bytes, entry: bytes) -> bytes:
    """Digest a step's canonical bytes after the digest of the step before (empty for the first): SHA-256(previous || SHA-256(entry))."""
    return hashlib.sha256(previous + hashlib.sha256(entry).digest()).digest()
