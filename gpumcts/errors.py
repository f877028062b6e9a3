"""The one exception that speaks to the user."""


class BadInput(ValueError):
    """A value the user gave cannot be used; the message is one line that names the key and what is allowed."""
