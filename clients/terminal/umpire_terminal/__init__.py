"""Play the games of an Umpire server in the terminal.

Read ``command`` (what one types), ``opening`` (creating, joining, resuming), ``sitting`` (playing), ``menu`` (choosing), ``voice`` and ``games`` (wording and
drawing). It calls the public API only, and sees what the person's seat may see.
"""
