"""`kafka-replay post-mortem`: the post-mortem of an incident of a finished result, as Markdown. Without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pipelines.answers.times import Clock, zone
from pipelines.result import Result
from replay.errors import InputError, OutputError
from viz.frames import rows
from viz.post_mortem import OF_THE_FIRST_SCREEN, TABLES, in_short
from viz.post_mortem import post_mortem as drawn
from viz.summary import trouble_of


def post_mortem(
    result: Path, out: Path | None = None, *, incident_id: str | None = None, short: bool = False, tz: str | None = None
) -> Iterator[str]:
    """The lines of the post-mortem, or of the first screen of the page (`short`); with `out` they are written there,
    and one line names the file.

    `tz` is the zone of the times. Raises InputError for a folder that `analyze` did not write and for an unknown incident
    or zone, OutputError for a file
    that exists or cannot be written.
    """
    if out is not None:
        check(out, result)
    read, clock = Result(result), Clock(zone(tz))
    tables = read.tables(*(OF_THE_FIRST_SCREEN if short else TABLES))
    ids = [one.incident_id for one in rows(tables["incidents"])]
    if incident_id is not None and incident_id not in ids:
        raise InputError(f"{incident_id}: no incident of {result}; its incidents are {', '.join(ids[:6]) or 'none'}")
    text = in_short(tables, incident_id, trouble_of(read.lines_answer())) if short else drawn(tables, incident_id)
    recorded = read.recorded()
    text = text if recorded is None else clock.sentence(text, recorded[0])
    if out is None:
        yield from text.splitlines()
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:
                out.unlink()
                raise
    except OSError as error:
        raise OutputError(f"{out}: cannot be written ({error.strerror or error})") from error
    yield f"The post-mortem is in {out}"


def check(out: Path, result: Path) -> None:
    """Raises OutputError if the post-mortem cannot be written. No run replaces an existing one, because people edit
    it.
    """
    if out.exists():
        raise OutputError(f"{out}: exists, and may hold edits; name another file")
    if not out.parent.is_dir() or not os.access(out.parent, os.W_OK):
        raise OutputError(f"{out}: its folder does not exist or is not writable")
    if result.resolve() in out.resolve().parents:
        raise OutputError(f"{out}: lies in the result, which a later run replaces; name a file outside {result}")
