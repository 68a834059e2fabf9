"""Capacity: what a move and a match cost a worker, Redis and the network, and what follows from it for many matches."""
