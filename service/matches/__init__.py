"""The use cases: create, claim, read, play, list, delete. They know neither transport nor Redis."""
