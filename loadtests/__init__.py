"""Measurements, from outside: they know the contract, and no code of service or engines."""
