"""What can go wrong with an input, as errors that say what, where and what to do in one line."""

from __future__ import annotations


class ReplayError(Exception):
    """A fault that the user can mend; its text is one line: what, where, what to do."""


class InputError(ReplayError):
    """The input or a command-line value cannot be used."""


class OutputError(ReplayError):
    """The result cannot be written where it was asked for."""


class SetupError(ReplayError):
    """Something the program needs (Java, GraphFrames' classes) is not on this machine."""


class SchemaError(Exception):
    """A stage built a table that does not fit its contract: a fault of the program."""
