"""The command that would tell who ended a node, for the deployment that the files show."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipelines.answers.witness_steps import next_witnesses
from replay.sentences.witness_commands import deployment_of, witness_command
from tests.each import for_each

KILLED = {
    "finding_id": "killed/2",
    "role": "root_cause",
    "broker_ids": np.array([2]),
    "start_ts": pd.Timestamp("2026-11-21 05:37:33.5"),
    "evidence": np.array(["node-2/server.log:17", "node-1/server.log:3"]),
}


def steps(finding: dict, files: dict[str, str], kind: str = "killed", arguments: dict | None = None) -> list[str]:
    coverage = pd.DataFrame({"source_file": list(files), "layout": list(files.values())})
    vertices = pd.DataFrame([{"id": "killed/2", "kind": kind}])
    faults = pd.DataFrame(
        [{"fault_id": "killed/2", "arguments": None if arguments is None else list(arguments.items())}]
    )
    return list(next_witnesses(pd.DataFrame([KILLED | finding]), faults, vertices, coverage))


@for_each(
    ("layouts", "deployment"),
    [
        (["default", "gc-log"], "host"),
        (["syslog+default"], "host"),
        (["kubectl+default"], "kubernetes"),
        (["cri+default"], "kubernetes"),
        (["default", "kubernetes-json"], "kubernetes"),
        (["compose+default"], "docker"),
        (["docker-json+default", None], "docker"),
    ],
)
def test_the_deployment_is_reported_by_how_lines_are_wrapped(layouts, deployment):
    assert deployment_of(layouts) == deployment


def test_an_end_without_a_witness_names_the_command_of_its_host_and_minutes():
    assert steps({}, {"node-2/server.log": "default"}) == [
        "No witness of node 2's end: Run `journalctl _TRANSPORT=kernel + UNIT=kafka.service --since '2026-11-21 05:35:33 UTC' "
        "--until '2026-11-21 05:38:33 UTC'` on its host (without a journal: `dmesg -T`), and look for a file "
        "hs_err_pid*.log in its working directory"
    ]
    assert "hs_err" not in witness_command(
        "host", KILLED["start_ts"], KILLED["start_ts"], ended=False
    )  # a process that froze did not crash
    assert "hs_err" in steps({}, {"node-2/server.log": "default"}, "silent", {"node": "2"})[0]
    assert "hs_err" not in steps({}, {"node-2/server.log": "default"}, "silent", {"node": "2", "kept": "yes"})[0]
    assert "docker inspect CONTAINER" in steps({}, {"node-2/server.log": "compose+default"})[0]
    assert "kubectl get pod POD" in steps({}, {"a.log": "stern+default"}, "silent")[0]


def test_nothing_is_asked_for_where_a_witness_shows_or_none_is_needed():
    files = {"node-2/server.log": "default", "node-2/messages": "host-log"}
    assert steps({"evidence": ("node-2/messages:2", "node-2/server.log:17")}, files) == []
    assert steps({}, files, "stopped") == []
    assert steps({}, files, "errors_unexplained") == []  # of code F00, as a silence is
    assert steps({"role": "effect"}, files) == []
    assert len(steps({}, files)) == 1
