"""If no file shows what ended a node, the command that would show it, for the deployment of the given files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from pipelines.answers.frames import rows
from replay.reading.witnesses import HOST_WITNESSES
from replay.sentences.witness_commands import NEEDS_WITNESS, deployment_of, witness_command


def next_witnesses(
    findings: pd.DataFrame, faults: pd.DataFrame, vertices: pd.DataFrame, coverage: pd.DataFrame
) -> Iterator[str]:
    """For each finding of a process end, a silence or a freeze without evidence of its cause: the command that would
    show it.
    """
    lived_on = {fault.fault_id for fault in rows(faults) if "kept" in dict(fault.arguments or ())}
    deployment = deployment_of(coverage.layout)
    host_files = set(coverage.source_file[coverage.layout.isin(HOST_WITNESSES)])
    kinds = dict(zip(vertices.id, vertices.kind))
    for finding in rows(findings):
        kind = str(kinds.get(finding.finding_id))
        what = NEEDS_WITNESS.get(kind)
        if what is not None and _lacks_witness(finding, host_files):
            may_have_ended = kind != "paused" and finding.finding_id not in lived_on
            command = witness_command(deployment, finding.start_ts, finding.start_ts, ended=may_have_ended)
            for node in finding.broker_ids:
                yield f"No witness of node {node}'s {what}: {command}"


def _lacks_witness(finding: Any, host_files: set[str]) -> bool:
    if finding.start_ts is None or finding.role not in ("root_cause", "contributing"):
        return False
    evidence = () if finding.evidence is None else finding.evidence
    files = {re.sub(r":\d+(?:\.\d+)?$", "", event) for event in evidence}
    return not files & host_files
