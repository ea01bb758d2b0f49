"""A run in this process, without Java: the analysis of pasted lines and of small logs for `explain`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pipelines.answers.found_faults import faults_found
from pipelines.answers.headlines import headline
from pipelines.found_files import Source
from pipelines.incident import Zones, parsed_here, replayed_here
from pipelines.inputs import gather
from pipelines.memory_store import MemoryStore
from pipelines.scratch import work_folder
from replay.causes.explained_lines import Found
from replay.errors import InputError, OutputError
from replay.knowledge.answer import Incident
from replay.tables.brokers import PROCESSES
from replay.tables.causes import FINDINGS, INCIDENTS, Finding, IncidentSummary
from replay.tables.weighing import DOUBTFUL_LINES
from viz.by_severity import worst_first

_ROUTINE = ("low", "info")
_ROOTS = ("root_cause", "contributing")
_BENIGN = "benign"
_MOST_STEPS = 4


@dataclass(frozen=True)
class RunHere:
    """The tables of a run, its logs, and notes about doubtful lines in them. `is_part`: somebody chose the lines, so a
    line that is not there may exist. `named`: the nodes that those lines name as their own; empty if they name none.
    """

    store: MemoryStore
    sources: Sequence[Source]
    notes: Sequence[str] = ()
    is_part: bool = False
    named: Collection[int] = ()

    @property
    def found(self) -> list[Found]:
        """The faults that explain lines; without stops by order whose end no line shows, which could explain anything."""
        found = faults_found(self.store, without=self._unproven)
        return [one for one in found if not one.asked or one.until is not None]

    @cached_property
    def _unproven(self) -> frozenset[str]:
        """The findings of chosen lines that only a missing line, or only the name of a container, suggests."""
        if not self.is_part:
            return frozenset()
        restarts = [
            {life.last_event, life.next_start_event}
            for life in self.store.rows("processes", PROCESSES)
            if life.ended == "killed"
        ]
        return frozenset(
            finding.finding_id
            for finding in self.store.rows("findings", FINDINGS)
            if _is_of_another(finding, self.named)
            or (finding.finding_id.startswith("killed/") and set(finding.evidence or ()) in restarts)
        )

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
        serious = (row for row in worst_first(rows) if _is_serious(row) and row.root_finding_id not in self._unproven)
        return tuple(_incident(row, evidence[row.incident_id]) for row in serious)


@contextmanager
def run_here(paths: Sequence[Path], *, is_part: bool = False, named: Collection[int] = ()) -> Iterator[RunHere | None]:
    """The run of some files; None if no line of them looks like a log of Kafka, or if they cannot be read together.
    `is_part` and `named`: as in `RunHere`.
    """
    with work_folder() as work:
        try:
            inputs = gather(paths, {}, work)
            store = MemoryStore()
            understood = parsed_here(inputs, store, Zones())
            replayed_here(understood, store)
        except (InputError, OutputError):
            yield None
            return
        notes = [f"{name} {what}." for name, what in understood.remarks]
        yield RunHere(store, inputs.sources, notes, is_part, named)


def _is_of_another(finding: Finding, named: Collection[int]) -> bool:
    """Whether a finding is about nodes that the lines do not name, although they name some."""
    return bool(named and finding.broker_ids) and set(finding.broker_ids or ()).isdisjoint(named)


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
