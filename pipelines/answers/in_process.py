"""A run in this process, without Java: the analysis of pasted lines and of small logs for `explain`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipelines.answers.found_faults import faults_found
from pipelines.answers.headlines import headline
from pipelines.found_files import Source
from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from pipelines.scratch import work_folder
from replay.errors import InputError, OutputError
from replay.knowledge.analyzed import Found
from replay.knowledge.answer import Incident
from replay.tables.causes import FINDINGS, INCIDENTS, IncidentSummary
from replay.tables.weighing import DOUBTFUL_LINES
from viz.by_severity import worst_first

_ROUTINE = ("low", "info")
_ROOTS = ("root_cause", "contributing")
_BENIGN = "benign"
_MOST_STEPS = 4


@dataclass(frozen=True)
class RunHere:
    """The tables of a run, its logs, and notes about doubtful lines in them."""

    store: MemoryStore
    sources: Sequence[Source]
    notes: Sequence[str] = ()

    @property
    def found(self) -> list[Found]:
        """The faults that explain lines; without stops by order whose end no line shows, which could explain anything."""
        return [one for one in faults_found(self.store) if not one.asked or one.until is not None]

    @property
    def doubtful(self) -> set[tuple[int | None, str | None]]:
        """The single lines that other lines contradict: their places in their files, and their messages."""
        rows = self.store.rows("doubtful_lines", DOUBTFUL_LINES)
        return {(row.line_number, row.message) for row in rows if row.lines == 1}

    @property
    def proofs(self) -> set[str]:
        """The lines that prove faults; without those of routine work."""
        rows = self.store.rows("findings", FINDINGS)
        return {line for finding in rows if finding.role != _BENIGN for line in finding.evidence or ()}

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """The incidents, the worst first, as `analyze` states them; without routine work."""
        rows = self.store.rows("incidents", INCIDENTS)
        evidence: dict[str | None, list[str]] = defaultdict(list)
        for finding in self.store.rows("findings", FINDINGS):
            if finding.role in _ROOTS:
                evidence[finding.incident_id] += finding.evidence or ()
        serious = (row for row in worst_first(rows) if _is_serious(row))
        return tuple(_incident(row, evidence[row.incident_id]) for row in serious)


@contextmanager
def run_here(paths: Sequence[Path]) -> Iterator[RunHere | None]:
    """The run of some files; None if no line of them looks like a log of Kafka, or if they cannot be read together."""
    with work_folder() as work:
        try:
            inputs = gather(paths, {}, work)
            store = MemoryStore()
            understood = parsed_here(inputs, store, Zones())
            replayed_here(understood, store)
        except (InputError, OutputError):
            yield None
            return
        yield RunHere(store, inputs.sources, [f"{name} {what}." for name, what in understood.remarks])


def _is_serious(row: IncidentSummary) -> bool:
    """Whether an incident is more than routine work, and says more than that its cause is unknown."""
    is_known = row.root_finding_id is not None or (row.lost_offsets_max or 0) > 0 or bool(row.undetermined)
    return bool(row.still) or (row.severity not in _ROUTINE and is_known)


def _incident(row: IncidentSummary, evidence: Sequence[str]) -> Incident:
    """A row of `incidents` as part of an answer."""
    return Incident(
        str(headline(row)),
        row.told or "",
        row.lost_committed or "",
        row.lost_uncommitted or "",
        tuple(row.still or ()),
        tuple(row.next_steps or ())[:_MOST_STEPS],
        row.root_finding_id or "",
        tuple(evidence),
    )
