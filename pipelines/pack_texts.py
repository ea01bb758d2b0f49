"""Packs that a user wrote: reads their files and checks them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from replay.errors import InputError

if TYPE_CHECKING:
    from replay.knowledge.library import Library


def text_of(path: Path) -> str:
    """The text of a pack. Raises InputError for what is no readable file of UTF-8 text, or is too large."""
    from replay.knowledge.pack import MOST_CHARACTERS

    try:
        if not path.is_file():
            raise InputError(f"{path}: not a file; a pack is one file of TOML, docs/packs.md shows one")
        with path.open("rb") as file:
            content = file.read(4 * MOST_CHARACTERS + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    if len(content) > 4 * MOST_CHARACTERS:
        raise InputError(f"{path}: a pack has at most {MOST_CHARACTERS:,} characters; split it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text (byte {error.start + 1}); save it as UTF-8") from None


@contextmanager
def with_files(paths: Sequence[Path]) -> Iterator[None]:
    """Adds the packs in these files to what lines mean, while the context lasts. Raises InputError for a pack with an
    error, or two packs with the same key.
    """
    if not paths:
        yield
        return
    from replay.knowledge.library import with_library

    with with_library(library_of(texts_of(paths))):
        yield


def texts_of(paths: Sequence[Path]) -> tuple[tuple[str, str], ...]:
    """The name and the text of each pack."""
    return tuple((str(path), text_of(path)) for path in paths)


@cache
def library_of(texts: tuple[tuple[str, str], ...]) -> Library:
    """The library with the packs of these names and texts. Raises InputError for a pack with an error, or two packs with
    the same key.
    """
    from replay.knowledge.library import library_with
    from replay.knowledge.pack_checks import checked_pack

    packs = [checked_pack(text, name) for name, text in texts]
    owners: dict[str, str] = {}
    for entry in (entry for pack in packs for entry in pack.entries):
        if owners.setdefault(entry.key, entry.file) != entry.file:
            raise InputError(f"{entry.file}: {owners[entry.key]} also has the entry {entry.key}; rename one")
    return library_with(packs)
