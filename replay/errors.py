"""Errors for users: one line that says what went wrong, where, and what to do."""

from __future__ import annotations


class ReplayError(Exception):
    """An error that the user can fix; its text is one line: what, where, what to do."""


class InputError(ReplayError):
    """The input or a command-line value cannot be used."""


class OutputError(ReplayError):
    """The result cannot be written to the requested place."""


class SetupError(ReplayError):
    """This machine lacks something that the program needs (Java, GraphFrames' classes)."""


class SchemaError(Exception):
    """A stage built a table that does not match its contract: a bug in the program."""
