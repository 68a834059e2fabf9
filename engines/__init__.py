"""The rules of the games, pure. ``registry`` finds them; ``kit`` is what they share."""
