"""`findings.json` of large results: rows alike are one, a line stands in it once, and what is left out is said."""

from __future__ import annotations

import pandas as pd
import pytest

from pipelines import findings_json
from replay.tables import TABLES
from viz.frames import COLUMNS


def tables(**given: pd.DataFrame) -> dict[str, pd.DataFrame]:
    declared = {table.name: pd.DataFrame(columns=[c.name for c in table.columns]) for table in TABLES}
    extra = {name: pd.DataFrame(columns=list(COLUMNS[name])) for name in ("evidence", "node_facts", "topic_settings")}
    return declared | extra | given


def losses(*rows: tuple[str, int, int, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["topic", "partition", "to_offset_low", "verdict", "line"])
    frame["evidence"] = frame.line.map(lambda line: (line,))
    return frame.assign(ts=pd.Timestamp("2026-11-21 07:00"), loss_class="committed", from_offset=10)


def elections(*rows: tuple[str, int, str, int, int, int]) -> pd.DataFrame:
    names = ["topic", "partition", "ts", "old_leader_id", "new_leader_id", "leaderless_ms"]
    frame = pd.DataFrame(rows, columns=names).assign(elected_from="isr", trigger="broker_failure", leader_epoch=3)
    frame["ts"] = pd.to_datetime("2026-11-21 " + frame.ts)
    frame["evidence"] = [(f"n:{number}",) for number in range(len(frame))]
    return frame


def lines(count: int) -> pd.DataFrame:
    return pd.DataFrame(
        [(f"n:{n}", pd.NaT, 1, "n", n, "INFO", f"line {n}") for n in range(count)],
        columns=["event_id", "ts", "node_id", "source_file", "line_number", "level", "message"],
    )


def made(**given: pd.DataFrame) -> dict:
    return findings_json.findings_json(tables(**given), ["logs"], [], "0")


def test_partitions_that_lost_the_same_share_a_row_with_the_lines_of_the_first():
    told = made(
        losses=losses(
            ("orders", 1, 20, "PROVEN_LOSS", "n:1"),
            ("clicks", 0, 20, "PROVEN_LOSS", "n:0"),
            ("orders", 0, 20, "PROVEN_LOSS", "n:2"),
            ("orders", 2, 30, "PROVEN_LOSS", "n:3"),
            ("orders", 3, 30, "NO_LOSS_OBSERVED", "n:4"),
        ),
        evidence=lines(5),
    )
    assert [
        (row["partitions"], row["partitions_total"], row["to_offset_low"], row["evidence"]) for row in told["losses"]
    ] == [
        ([{"topic": "clicks", "partitions": [0]}, {"topic": "orders", "partitions": [0, 1]}], 3, 20, ["n:0"]),
        ([{"topic": "orders", "partitions": [2]}], 1, 30, ["n:3"]),
    ]
    assert set(told["log_lines"]) == {"n:0", "n:3"}


def test_changes_of_leader_between_the_same_brokers_in_one_second_share_a_row():
    told = made(
        elections=elections(
            ("orders", 0, "07:00:01.100", 1, 2, 5),
            ("orders", 1, "07:00:01.900", 1, 2, 9),
            ("orders", 2, "07:00:02.000", 1, 2, 1),
            ("orders", 3, "07:00:01.100", 1, 3, 1),
        )
    )["elections"]
    assert [(e["new_leader_id"], e["elections"], e["leaderless_low_ms"], e["leaderless_high_ms"]) for e in told] == [
        (2, 2, 5, 9),
        (3, 1, 1, 1),
        (2, 1, 1, 1),
    ]
    assert told[0]["partitions"] == [{"topic": "orders", "partitions": [0, 1]}]
    assert (told[0]["first_ts"], told[0]["last_ts"]) == ("2026-11-21T07:00:01.100000Z", "2026-11-21T07:00:01.900000Z")


def test_of_very_many_lines_the_first_have_their_text_and_a_note_says_of_how_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(findings_json, "MOST_LINES", 2)
    lost = [("orders", n, 20 + n, "PROVEN_LOSS", f"n:{n}") for n in range(4)]
    told = made(losses=losses(*lost), evidence=lines(4))
    assert list(told["log_lines"]) == ["n:0", "n:1"]
    assert [row["evidence"] for row in told["losses"]] == [[f"n:{n}"] for n in range(4)]
    assert told["notes"] == [
        "log_lines: 2 of the 4 lines that evidence here names have their text; all are in the table events"
    ]


def test_of_much_evidence_the_first_is_named_and_all_is_counted():
    many = losses(("orders", 0, 20, "PROVEN_LOSS", "n:0")).assign(evidence=[tuple(f"n:{n}" for n in range(40))])
    (row,) = made(losses=many)["losses"]
    assert (len(row["evidence"]), row["evidence_total"]) == (findings_json.MOST_IDS, 40)


def test_an_effect_comes_after_the_root_cause_of_its_incident():
    """The bounds of the root reach past the first line of the effect; another incident's root changes nothing."""
    found = pd.DataFrame(
        [
            ("effect", "one", "effect", "10:00:01"),
            ("root", "one", "root_cause", "10:00:02"),
            ("benign", "one", "benign", "10:00:00"),
            ("early", "two", "effect", "09:00:00"),
        ],
        columns=["finding_id", "incident_id", "role", "start_ts"],
    )
    found["start_ts"] = pd.to_datetime("2026-11-21 " + found.start_ts)
    found["evidence"], found["partitions"] = [()] * 4, [()] * 4
    ids = [row["finding_id"] for row in made(findings=found)["findings"]]
    assert ids == ["early", "benign", "root", "effect"]
