"""The text of each pack that comes with this package."""

from __future__ import annotations

from importlib.resources import files

_FOLDER = files("replay.knowledge") / "packs"  # works in a wheel or an imported archive, too


def names_of_packs() -> list[str]:
    """The names of all files, in alphabetical order."""
    return sorted(one.name for one in _FOLDER.iterdir() if one.name.endswith(".toml"))


def text_of_pack(name: str) -> str:
    """The text of one file."""
    return (_FOLDER / name).read_text(encoding="utf-8")
