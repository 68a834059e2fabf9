"""What ends an operator's command."""


class AdminError(Exception):
    """The command cannot do what it was asked; the message is one line. ``status`` is 2 where the command line was wrong, else 1."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status
