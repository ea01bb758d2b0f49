"""When a failed log directory certainly took its partitions offline, from the lines of its broker."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from replay.facts.groups import by_key, grouped
from replay.facts.lines import detail
from replay.facts.order import at_most, less
from replay.facts.reads import reads
from replay.facts.times import first_known, least
from replay.faults.log_dirs import FAILURE_LINES, NAMES_PARTITIONS, stopped_partitions
from replay.tables.faults import Fault
from replay.tables.reading import Fact


@dataclass(frozen=True, slots=True)
class FailedDirectory:
    """A directory that a broker gave up: its partitions, its first error, and the first line that says that the broker
    has stopped them; None if no line does.
    """

    partitions: Sequence[str]
    error_ts: datetime | None
    stopped_ts: datetime | None


@reads(*FAILURE_LINES)
def directory_lines(facts: Iterable[Fact]) -> dict[int | None, list[Fact]]:
    """By node: the lines about failed directories, in time order."""
    lines = (fact for fact in facts if fact.kind in FAILURE_LINES and fact.ts is not None)
    return grouped(sorted(lines, key=lambda fact: fact.ts), lambda fact: fact.node_id)


def failed_directories(fault: Fault, lines: Iterable[Fact]) -> list[FailedDirectory]:
    """The directories of a fault.

    An error takes its directory offline in two steps (facts §5, F14). The thread that met the error marks the
    directory, which can take as long as it takes to print a stack trace. Then the broker marks each partition offline
    and names them in one line. Until that line, writes to other partitions of the directory can still succeed.
    """
    own = [
        line
        for line in lines
        if at_most(first_known(fault.began_low, fault.ts), line.ts)
        and (fault.end_ts is None or less(line.ts, fault.end_ts))
    ]
    found = [
        _directory([line for line in of_directory if _names(line)], of_directory)
        for of_directory in by_key(own, _dir).values()
        if any(map(_names, of_directory))
    ]
    named = {name for one in found for name in one.partitions}
    rest = [name for name in fault.partitions or () if name not in named]
    return [*found, FailedDirectory(rest, fault.began_high, fault.began_high)] if rest or not found else found


def _directory(naming: Sequence[Fact], lines: Iterable[Fact]) -> FailedDirectory:
    return FailedDirectory(
        partitions=sorted({name for line in naming for name in _names(line)}),
        error_ts=least(*[line.ts for line in lines]),
        stopped_ts=least(*[line.ts for line in naming]),
    )


def _names(line: Fact) -> list[str]:
    return stopped_partitions(line) if line.kind == NAMES_PARTITIONS else []


def _dir(line: Fact) -> str | None:
    directory: str | None = first_known(detail(line, "dir"), detail(line, "log_dir"))
    return None if directory is None else directory.rstrip(".")
