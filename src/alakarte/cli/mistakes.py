"""What a user of the command line got wrong: one line that says what and what to do."""


class Mistake(Exception):
    """Ends a command with exit status 2 and its text on one line."""
