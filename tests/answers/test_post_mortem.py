"""`kafka-replay post-mortem` on a result of a few rows: what stands in the document, and what log text cannot do to it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipelines.cli import main_group
from pipelines.commands.post_mortem import post_mortem
from replay.errors import InputError, OutputError
from tests.answers.small_result import TABLES, write
from tests.each import for_each
from tests.full_disk import files_end_at
from viz.post_mortem import escaped, prose

CLOSED = [
    {"topic": "orders", "partition": 0, "acks": acks, "start_ts": start, "end_ts": "07:32:18.100", "state": "closed", "reason": "leader_dead", "evidence": [line]}
    for acks, start, line in (("1", "07:32:00", "node-2/server.log:7"), ("all", "07:31:30", "node-1/server.log:1"))
]  # fmt: skip
SPOT = {"kind": "no_file", "node_id": 3, "start_ts": None, "end_ts": None, "what": "No file of node 3 is here", "questions": ["whether it led"], "would_tell": "server.log of node 3", "evidence": ["node-2/server.log:7"]}  # fmt: skip
LOSS = TABLES["losses"][0] | {"incident_id": "incident-1"}
PROOF = [{"event_id": "node-2/server.log:7", "finding_id": "killed/1/x", "proves": "Broker 1 crashed"}]
DOWN = [{"topic": "orders", "acks_all_low_ms": 17000, "acks_all_high_ms": 18100, "acks_one_low_ms": 0, "acks_one_high_ms": 900, "reads_low_ms": 0, "reads_high_ms": 0, "acks_all_partitions": 1, "acks_one_partitions": 0, "reads_partitions": 0, "partitions": 1, "is_open": False}]  # fmt: skip


def incident(**more: Any) -> dict[str, Any]:
    return TABLES["incidents"][0] | {
        "t0_low": None, "t0_high": None, "detected_low_ms": 17000, "is_over": True, "still": [], "afterwards": [], "unanswered": "none found", "unanswered_offsets": 0, "down": DOWN, "proof": PROOF,
        "lost_committed": "5 records of orders", "lost_uncommitted": "none found", "undetermined": 0,
        "next_steps": ["Tell the owners of orders (see Losses)."],
    } | more  # fmt: skip


def document(folder: Path, **more: Any) -> dict[str, list[str]]:
    """The lines of a document by the heading that they stand under."""
    tables = {"incidents": [incident()], "availability": CLOSED, "blind_spots": [SPOT]} | more
    told: dict[str, list[str]] = {}
    section = ""
    for line in post_mortem(write(folder / "r", **tables)):
        if line.startswith("#"):
            section = line.lstrip("# ")
        if line:
            told.setdefault(section, []).append(line)
    return told


def test_impact_shows_who_waited_how_long_and_which_lines_show_it(tmp_path):
    told = document(tmp_path, losses=[LOSS])["Impact"]
    row = next(line for line in told if line.startswith("| `orders`"))
    assert (
        row
        == "| `orders` | 17.0 to 18.1 s | up to 900 ms | 0 | 1 | not known (1) | `node-2/server.log:7`, `node-1/server.log:1` |"
    )
    lost = next(line for line in told if line.startswith("- **Lost, committed**"))
    assert lost.endswith("): 5 records of orders.")
    assert "- **Recoverable:** `orders-0`: these logs name no broker that still holds the range." in told


def test_a_broker_that_still_holds_the_records_is_named(tmp_path):
    told = document(tmp_path, losses=[LOSS | {"recoverable_from": [1]}])
    assert "- **Recoverable:** `orders-0`: broker 1 still held the range at its last line." in told["Impact"]
    row = next(line for line in told["Losses"] if line.startswith("| `orders-0`"))
    assert row.split(" | ")[1:3] == ["lost, committed", r"\[10, 15)"]


def test_each_partition_is_named_with_the_brokers_that_hold_its_own_records(tmp_path):
    held = [LOSS | {"partition": n, "recoverable_from": brokers} for n, brokers in enumerate(([1], [], [1], [2, 3]))]
    told = document(tmp_path, losses=held)["Impact"]
    assert told[-1] == (
        "- **Recoverable:** `orders-0`, `orders-2`: broker 1 still held the range at its last line. "
        "`orders-3`: brokers 2 and 3 still held the range at their last line. "
        "`orders-1`: these logs name no broker that still holds the range."
    )


def test_the_timeline_is_in_order_with_bounds_and_lines(tmp_path):
    killed, unclean = TABLES["findings"]
    bounds = {"began_low": "07:31:59", "began_high": "07:32:00"}
    ended = {"ended_low": None, "ended_high": None}
    told = document(tmp_path, findings=[unclean, killed | bounds | ended])["Timeline"]
    findings = [line for line in told if "**" in line]
    assert findings[0] == (
        "- Between 2026-11-21 07:31:59.000 and 07:32:00.000: **Broker 1 crashed** (root cause, critical, F01). "
        "These logs do not show its end. Lines: `node-2/server.log:7`."
    )
    assert findings[1].startswith("- At 2026-11-21 07:32:18.100: **Unclean election** (contributing, critical, F16).")


def test_the_cause_comes_first_and_an_unknown_cause_is_said_to_be_unknown(tmp_path):
    causes = [line for line in document(tmp_path / "a")["Cause and trigger"] if line.startswith("- **")]
    assert [line.split(":")[0] for line in causes] == ["- **Trigger", "- **Contributing"]
    unknown = TABLES["findings"][0] | {"code": "F00", "title": "Errors of unknown cause"}
    told = document(tmp_path / "b", findings=[unknown])["Cause and trigger"]
    assert "These logs do not show the cause." in told


def test_actions_have_an_empty_owner(tmp_path):
    told = document(tmp_path)["Actions"]
    assert told[1:] == [
        "|  | Action | Owner |",
        "| --- | --- | --- |",
        "| 1 | Tell the owners of orders (see Losses). |  |",
    ]


def test_nothing_is_praised_that_no_table_proves(tmp_path):
    told = document(tmp_path / "a")["What worked and what limited the harm"]
    assert told[-1] == "The tables of this result prove nothing that limited the harm."
    kept = LOSS | {"verdict": "NO_LOSS_OBSERVED", "evidence": ["a.log:1"]}
    told = document(
        tmp_path / "b", losses=[kept], incidents=[incident(lost_offsets_max=0, lost_committed="none found")]
    )
    limits = told["What worked and what limited the harm"]
    assert "- No loss of committed records was found." in limits
    assert limits[-1].startswith("- 1 verdict: nothing discarded") and limits[-1].endswith("Lines: `a.log:1`.")


def test_what_the_logs_cannot_show_is_said(tmp_path):
    told = document(tmp_path)["What these logs cannot show"]
    assert told[1] == (
        "- No file of node 3 is here. Cannot be answered: whether it led. "
        "To answer, provide: server.log of node 3. Lines: `node-2/server.log:7`."
    )


def test_no_blind_spot_is_denied_where_a_finding_has_one(tmp_path):
    none = "- No blind spot was found in these files."
    assert none in document(tmp_path / "a", blind_spots=[])["What these logs cannot show"]
    finding = TABLES["findings"][0] | {"blind_spots": ["the end of the log of broker 1 is not logged"]}
    told = document(tmp_path / "b", blind_spots=[], findings=[finding])["What these logs cannot show"]
    assert told[1] == "- Broker 1 crashed: the end of the log of broker 1 is not logged."
    assert none not in told


def test_of_several_incidents_the_worst_is_reported_and_the_others_are_listed(tmp_path):
    later = incident(incident_id="incident-2", severity="low", title="A restart", start_ts="07:50:00", end_ts=None)
    told = document(tmp_path, incidents=[later, incident()])
    assert "Post-mortem: Broker 1 crashed" in told
    assert told["Other incidents in these logs"][1].endswith("low: A restart (`incident-2`)")
    assert next(post_mortem(tmp_path / "r", incident_id="incident-2")) == "# Post-mortem: A restart"
    with pytest.raises(InputError, match="incident-9: no incident"):
        list(post_mortem(tmp_path / "r", incident_id="incident-9"))


def test_without_an_incident_the_findings_and_the_limits_are_reported(tmp_path):
    told = document(tmp_path, incidents=[])
    limits = next(
        line for line in told["Post-mortem: no incident found"] if line.startswith("This result has no incident")
    )
    assert "depends on what these files show" in limits and "cannot rule out" in limits
    assert len([line for line in told["Findings"] if line.startswith("- ")]) == 2


EVIL = "x | y\n# <img src=x onerror=alert(1)> [click](http://evil.example) *b* `c` \x1b[31m ![i](//a) www.evil.example"


def test_log_text_has_no_effect_in_markdown(tmp_path):
    finding = TABLES["findings"][0] | {"title": EVIL, "summary": EVIL, "evidence": ["a`b|c:1"]}
    text = "\n".join(line for lines in document(tmp_path, findings=[finding]).values() for line in lines)
    assert "onerror" in text and "\x1b" not in text
    outside = re.sub(r"(`+).+?\1(?!`)", "", text)
    for acting in (r"(?<!\\)<img", r"(?<!\\)\]\(", r"(?<!\\)\[click", "http://", r"www\.evil", r"^# <", r"(?<!\\)\*b"):
        assert not re.search(acting, outside, re.MULTILINE), acting


@for_each(
    ("text", "safe"),
    [
        ("- a list", r"\- a list"),
        ("1. a list", r"1\. a list"),
        ("# a heading", r"\# a heading"),
        ("2026-11-21 07:32", "2026-11-21 07:32"),
        ("__consumer_offsets-5", r"\_\_consumer\_offsets-5"),
        ("a\nb", "a b"),
    ],
)
def test_text_stands_as_it_is(text, safe):
    assert escaped(text) == safe


def test_a_command_stays_a_command():
    assert prose("Run `df -h | tail` on a_b") == r"Run `df -h | tail` on a\_b"


def test_a_document_that_people_may_have_edited_stays(tmp_path):
    result, out = write(tmp_path / "r", incidents=[incident()]), tmp_path / "p.md"
    assert list(post_mortem(result, out)) == [f"The post-mortem is in {out}"]
    first = out.read_text(encoding="utf-8")
    assert first.splitlines() == list(post_mortem(result))
    with pytest.raises(OutputError, match="may hold edits"):
        list(post_mortem(result, out))
    assert out.read_text(encoding="utf-8") == first
    with pytest.raises(OutputError, match="lies in the result"):
        list(post_mortem(result, result / "p.md"))
    with pytest.raises(OutputError, match="does not exist"):
        list(post_mortem(result, tmp_path / "no" / "p.md"))


def test_analyze_checks_the_place_of_the_document_before_it_reads_logs(tmp_path):
    (tmp_path / "logs").mkdir()
    out = tmp_path / "no" / "p.md"
    ran = CliRunner().invoke(main_group, ["analyze", str(tmp_path / "logs"), "--post-mortem", str(out)])
    assert isinstance(ran.exception, OutputError)
    assert "its folder does not exist" in str(ran.exception)


def test_the_command_prints_the_document(tmp_path):
    result = write(tmp_path / "r", incidents=[incident()])
    ran = CliRunner().invoke(main_group, ["post-mortem", str(result)])
    assert ran.exit_code == 0
    assert ran.output.splitlines() == list(post_mortem(result))


def test_a_full_disk_leaves_no_part_of_a_document(tmp_path):
    result = write(tmp_path / "r", incidents=[incident()], availability=CLOSED, blind_spots=[SPOT])
    with files_end_at(100), pytest.raises(OutputError, match="cannot be written"):
        list(post_mortem(result, tmp_path / "p.md"))
    assert not (tmp_path / "p.md").exists()
