"""`kafka-replay knowledge`: the packs that say what lines mean, and checks of a pack that a user wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pipelines.commands.parameters import as_json
from pipelines.terminal import json_line, shown

if TYPE_CHECKING:
    from replay.knowledge.pack import Entry

Echo = Callable[[Iterable[str]], None]
_FILE = click.Path(path_type=Path)
SORTS = ("meaning", "bug", "correlation", "table")


@click.group(short_help="List and show what is known of lines; check a pack of your own.")
def knowledge() -> None:
    """What is known of lines: entries of packs, which are files of TOML. docs/packs.md says how to write one."""


@knowledge.command("list")
@click.option("--sort", type=click.Choice(SORTS), help="Only entries of this sort.")
@click.option("--seen", type=click.Choice(("recorded", "quoted", "unseen")), help="Only entries whose line is this.")
@click.option("--pack", metavar="NAME", help="Only entries of this pack: quorum.")
@as_json
@click.pass_obj
def list_entries(echo: Echo, sort: str | None, seen: str | None, pack: str | None, as_json: bool) -> None:
    """List the entries of all packs, one per line.

    \b
    Examples:
      kafka-replay knowledge list --pack quorum
      kafka-replay knowledge list --sort bug --json
    """
    from replay.knowledge.pack import own_packs

    packs = own_packs()
    if pack is not None and pack not in {one.name for one in packs}:
        names = ", ".join(sorted(one.name for one in packs))
        raise click.UsageError(f"no pack is called {shown(pack)}; the packs are {names}")
    rows = [_row(one.name, entry) for one in packs if pack in (None, one.name) for entry in one.entries]
    rows = [row for row in rows if sort in (None, row["sort"]) and seen in (None, row["seen"])]
    echo(map(json_line, rows) if as_json else map(_as_line, rows))


@knowledge.command("show")
@click.argument("key")
@click.option("--pack", "file", type=_FILE, metavar="FILE", help="Also search this pack of your own.")
@as_json
@click.pass_obj
def show_entry(echo: Echo, key: str, file: Path | None, as_json: bool) -> None:
    """Show one entry: its pack, and each field.

    \b
    Examples:
      kafka-replay knowledge show start-lock-held
      kafka-replay knowledge show envoy-broker-back --pack envoy.toml
    """
    from pipelines.pack_texts import text_of
    from replay.errors import InputError
    from replay.knowledge.pack import own_entries, pack_of

    of_user = () if file is None else pack_of(text_of(file), str(file)).entries
    entries = [one for one in (*own_entries(), *of_user) if one.key == key]
    if not entries:
        raise InputError(f"{shown(key)}: no entry has this key; `kafka-replay knowledge list` prints all keys")
    for entry in entries:  # a bug can have the key of the meaning of its line
        fields = {"key": entry.key, "pack": entry.file, **entry.fields}
        echo([json_line(fields)] if as_json else (f"{name:<14} {text}" for name, text in _as_rows(fields)))


@knowledge.command("check")
@click.argument("file", type=_FILE)
@click.pass_obj
def check_pack(echo: Echo, file: Path) -> None:
    """Check a pack: its form, its patterns, its names and its examples. Exit status 2 if it has an error.

    \b
    Examples:
      kafka-replay knowledge check envoy.toml
    """
    from pipelines.pack_texts import text_of
    from replay.errors import InputError
    from replay.knowledge.pack_checks import problems_in

    problems = [str(problem) for problem in problems_in(text_of(file), str(file))]
    if len(problems) > 1:
        echo(problems)
        raise InputError(f"{shown(str(file))}: {len(problems)} errors; correct them and check again")
    if problems:
        raise InputError(problems[0])
    echo([f"{shown(str(file))}: no error"])


@knowledge.command("test")
@click.argument("file", type=_FILE)
@as_json
@click.pass_obj
def test_pack(echo: Echo, file: Path, as_json: bool) -> None:
    """Check a pack, and list each entry with its examples and counter-examples, which all mean what it says.

    \b
    Examples:
      kafka-replay knowledge test envoy.toml
    """
    from dataclasses import asdict

    from pipelines.pack_texts import text_of
    from replay.knowledge.pack_checks import checked_pack, tested

    entries = list(tested(checked_pack(text_of(file), str(file))))
    if as_json:
        echo(json_line(asdict(one)) for one in entries)
        return
    echo(
        f"ok  {one.key:<40} {one.sort:<12} examples: {one.examples}, counter-examples: {one.counter_examples}"
        for one in entries
    )


def _row(pack: str, entry: Entry) -> dict[str, str]:
    from replay.knowledge.pack import seen_of, sort_of

    fields = entry.fields
    says = fields.get("says") or fields.get("title") or fields.get("about") or ""
    return {"key": entry.key, "pack": pack, "sort": sort_of(entry), "seen": seen_of(entry), "says": says}


def _as_line(row: dict[str, str]) -> str:
    return f"{row['key']:<44} {row['sort']:<12} {row['seen']:<9} {row['pack']:<24} {row['says']}"


def _as_rows(fields: dict[str, Any], inside: str = "") -> Iterator[tuple[str, str]]:
    """The fields as they stand in the pack: `on.text`, and one row for each item of a list of tables."""
    for name, value in fields.items():
        if isinstance(value, dict):
            yield from _as_rows(value, f"{inside}{name}.")
        elif isinstance(value, list) and any(isinstance(one, dict) for one in value):
            for one in value:
                yield f"{inside}{name}", ", ".join(f"{key}: {text}" for key, text in one.items())
        elif isinstance(value, list):
            yield f"{inside}{name}", ", ".join(map(str, value))
        else:
            first, *others = str(value).split("\n")
            yield f"{inside}{name}", first
            yield from (("", other) for other in others)
