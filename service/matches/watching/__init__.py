"""Watching matches: what happens to a match reaches all who watch it, each step once and in order.

The log is the truth. A watcher is a place in it, and no message is kept for anybody: whoever is behind reads on from its place. Notices, own commits and
heartbeats only say when to look.
"""

from service.matches.watching.hub import Hub
from service.matches.watching.watch import Watch

__all__ = ["Hub", "Watch"]
