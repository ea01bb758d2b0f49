"""The program's own name and version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def product_version() -> str:
    """The version of this program; `unreleased` if it runs from its sources."""
    try:
        return version("kafka-incident-replay")
    except PackageNotFoundError:
        return "unreleased"
