"""The page: what it says, that it is the same each time, and that log text stays text."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import NamedTuple

import pandas as pd
import pytest

from pipelines.glossary import glossary
from tests.each import for_each
from tests.frames import at, frame, whole
from viz import findings
from viz.cluster import nodes_by_role
from viz.frames import even, rows, tidy
from viz.markup import Evidence, Line, linked
from viz.report import alike_merged, report
from viz.summary import down, loss_statement, over, with_part_in_life
from viz.summary import lost as tiles_of_losses

NASTY = "<script>document.title='run'</script><img src=http://example.test/x onerror=\"document.title='run'\">'\"</script>{{7*7}}]]>"


DOWN = {
    "topic": "orders",
    "acks_all_low_ms": 16_000,
    "acks_all_high_ms": 18_000,
    "acks_one_low_ms": 15_000,
    "acks_one_high_ms": 17_000,
    "reads_low_ms": 0,
    "reads_high_ms": 17_000,
    "acks_all_partitions": 1,
    "acks_one_partitions": 1,
    "reads_partitions": 1,
    "partitions": 1,
    "is_open": True,
}


def unclean_election() -> dict[str, pd.DataFrame]:
    """Two followers killed, the last leader too, then a stale follower elected: the records in between are lost."""
    return {
        "coverage": frame(
            "coverage",
            """
            node_id | source_file         | layout  | log_records | matched | unmatched | foreign | first_ts | last_ts
            1       | node-1/server.log   | default | 1000        | 990     | 10        | 2       | 10:00:00 | 10:02:00
            2       | node-2/server.log   | default | 500         | 500     | 0         | 0       | 10:00:00 | 10:02:00 """,
        ),
        "unmatched": frame(
            "unmatched",
            """
            normalized     | logger        | level | foreign | count | first_ts | last_ts  | example
            Strange <…>    | kafka.server  | WARN  | false   | 8     | 10:00:01 | 10:00:09 | Strange 7
            Foreign words  | com.acme.Auth | INFO  | true    | 2     | 10:00:01 | 10:00:09 | Foreign words """,
        ),
        "leader_epochs": frame(
            "leader_epochs",
            """
            topic  | partition | leader_epoch | leader_id | start_ts     | end_ts       | epoch_start_offset | elected_from | reason     | confidence | evidence
            orders | 0         | 0            | 1         | 10:00:05     | 10:01:00     | 0                  |              | created    | observed   | n1:5
            orders | 0         | 1            | -1        | 10:01:00     | 10:01:00.020 |                    |              | leaderless | observed   | n2:45
            orders | 0         | 2            | 2         | 10:01:00.020 |              | 293                | any_replica  | election   | observed   | n2:46 """,
        ),
        "isr_spans": frame(
            "isr_spans",
            """
            topic  | partition | leader_epoch | start_ts     | end_ts   | leader_id | isr   | replicas | min_isr | confidence | evidence
            orders | 0         | 0            | 10:00:05     | 10:00:30 | 1         | 1,2,3 | 1,2,3    | 1       | observed   | n1:5
            orders | 0         | 0            | 10:00:30     | 10:01:00 | 1         | 1     | 1,2,3    | 1       | observed   | n1:92
            orders | 0         | 2            | 10:01:00.020 |          | 2         | 2     | 1,2,3    | 1       | observed   | n2:46 """,
        ),
        "elections": frame(
            "elections",
            """
            topic  | partition | leader_epoch | ts           | old_leader_id | new_leader_id | elected_from | trigger        | leaderless_ms | evidence
            orders | 0         | 2            | 10:01:00.020 | 1             | 2             | any_replica  | broker_failure | 20            | n2:45,n2:46 """,
        ),
        "high_watermarks": frame(
            "high_watermarks",
            """
            topic  | partition | node_id | ts           | leader_epoch | role   | high_watermark | log_end_offset | source       | evidence
            orders | 0         | 2       | 10:01:00.100 | 2            | leader | 288            | 293            | leader_start | n2:68 """,
        ),
        "commit_bands": frame(
            "commit_bands",
            """
            topic  | partition | start_ts     | end_ts       | committed_low | committed_high | low_evidence | high_evidence
            orders | 0         | 10:00:05     | 10:01:00.020 | 0             | 2870           | n1:5         | n1:109
            orders | 0         | 10:01:00.020 |              | 288           |                | n2:68        | []            """,
        ),
        "truncations": frame(
            "truncations",
            """
            topic  | partition | node_id | ts       | leader_epoch | leader_id | log_end_offset | truncation_offset | expected_offset | rule     | high_watermark | evidence
            orders | 0         | 1       | 10:01:40 | 2            | 2         | 2870           | 293               | 293             | in_fetch | 2784           | n1:200 """,
        ),
        "losses": frame(
            "losses",
            """
            topic  | partition | leader_epoch | ts           | scenario | loss_class     | verdict       | from_offset | to_offset_low | to_offset_high | old_leader_id | new_leader_id | premise                       | incident_id | evidence
            orders | 0         | 2            | 10:01:00.020 | S4       | committed      | PROVEN_LOSS   | 293         | 2870          | 2870           | 1             | 2             | broker 1 was alone in the ISR | i1          | n2:46
            clicks | 0         | 2            | 10:01:00.020 | S7       | acked_possible | POSSIBLE_LOSS | 145         | 145           | 313            | 1             | 2             | discarded above the band      | i1          | n2:46 """,
        ),
        "broker_sessions": frame(
            "broker_sessions",
            """
            broker_id | broker_epoch | start_ts | end_ts   | ended_by | silent_ts | evidence
            1         | 62           | 10:00:00 | 10:00:59 | crash    | 10:00:40  | n2:14 """,
        ),
        "controllers": frame(
            "controllers",
            """
            controller_epoch | controller_id | start_ts     | ready_ts     | end_ts   | evidence
            8                | 2             | 10:01:00.000 |              |          | n2:14
            7                | 1             | 10:00:00.000 | 10:00:00.220 | 10:01:00 | n1:92 """,
        ),
        "isr_drops": frame(
            "isr_drops",
            """
            broker_id | leader_id | drops | as_session_ended | partition_count | suspect_id | first_ts | last_ts  | evidence
            2         | 1         | 1     | 0                | 1          |            | 10:00:41 | 10:00:41 | n1:80
            3         | 1         | 4     | 1                | 2          | 3          | 10:00:30 | 10:00:50 | n1:80 """,
        ),
        "deposed_leaders": frame(
            "deposed_leaders",
            """
            topic  | partition | broker_id | leader_epoch | deposed_ts   | last_led_ts  | learnt_ts    | believed_low_ms | believed_ms | evidence
            orders | 0         | 1         | 0            | 10:01:00.020 | 10:01:20.000 | 10:01:45.020 | 45000           | 45000       | n1:92
            clicks | 0         | 2         | 3            | 10:01:00.000 |              | 10:01:00.012 | 12              | 12          | n2:14 """,
        ),
        "replicas": frame(
            "replicas",
            """
            topic  | partition | node_id | trust | leader_id | in_isr | is_up | log_end_offset | told_ts  | evidence
            orders | 0         | 1       | 1     | 2         | true   | true  | 2870           | 10:00:40 | n1:92
            clicks | 0         | 2       | 2     | -1        | false  |       |                |          | n2:14
            clicks | 0         | 3       | 3     | -1        | false  | true  | 145            | 10:00:20 | n2:14
            clicks | 0         | 1       | 1     | -1        | true   | false | 313            | 10:00:40 | n1:92 """,
        ),
        "findings": frame(
            "findings",
            """
            finding_id | incident_id | code | role         | severity | title                        | summary            | start_ts     | end_ts   | broker_ids | partitions | confidence | blind_spots              | evidence
            F01/1      | i1          | F01  | root_cause   | high     | Broker 1 was killed          | no shutdown line   | 10:00:40     | 10:01:35 | 1          | []         | 0.98       | []                       | n1:92,n2:14
            F01/3      | i1          | F01  | contributing | high     | Broker 3 was killed          | no shutdown line   | 10:00:28     | 10:01:30 | 3          | []         | 0.98       | []                       | n1:80
            F16/1      | i1          | F16  | effect       | critical | Unclean election of broker 2 | outside the ISR    | 10:01:00.020 |          | 2          | orders-0   | 0.99       | logs never show acks     | n2:45,n2:46
            F20/1      | i1          | F20  | benign       | info     | Connection warnings          | harmless           | 10:00:41     |          | 1          | []         | 0.9        | []                       | n1:80
            F17/1      | i2          | F17  | root_cause   | info     | Preferred election           | routine            | 10:01:50     | 10:01:51 | 2          | []         | 0.9        | []                       | n2:90 """,
        ),
        "incidents": frame(
            "incidents",
            """
            incident_id | start_ts | end_ts   | title                           | told                           | severity | root_finding_id | broker_ids | contributed_ids | t0_low   | t0_high  | lasted_low_ms | lasted_high_ms | is_over | still          | detected_low_ms | detected_high_ms | elections | unclean_elections | leaderless_ms | unserved_min_ms | unserved_max_ms | single_copy_ms | partitions_affected | lost_offsets_min | lost_offsets_max | acked_possible_max | undetermined | lost_committed          | lost_uncommitted         | leaders_low_ms | leaders_high_ms | next_steps
            i1          | 10:00:38 | 10:01:40 | Unclean election: records lost  | Broker 1 was killed at 10:00:40. | critical | F01/1         | 1          | 3               | 10:00:38 | 10:00:40 | 60000         | 62000          | false   | 1 ISR not full | 19000           | 21000            | 1         | 1                 | 20            | 16000           | 18000           | 90000          | 1                   | 2577             | 2577             | 168                | 0            | 2,577 records of orders | at most 168 records of clicks | 20020      | 22020           | Tell the owners of orders.
            i2          | 10:01:50 | 10:01:51 | Preferred leaders were restored | Preferred election at 10:01:50.  | info     | F17/1           | 2          | []              |          |          | 1000          | 1000           | true    | []             |                 |                  | 0         | 0                 | 0             | 0               | 0               | 0              | 0                   | 0                | 0                | 0                  | 0            | none found              | none found               |                |                 | Nothing to do: this is routine. """,
        ).assign(
            down=[[DOWN], []],
            proof=[
                [
                    {"event_id": "n1:92", "finding_id": "F01/1", "proves": "Broker 1 was killed"},
                    {"event_id": "n2:46", "finding_id": "F16/1", "proves": "Unclean election of broker 2"},
                ],
                [],
            ],
        ),
        "vertices": frame(
            "vertices",
            """
            id   | ts           | kind             | node_id | topic  | partition | label                        | incident_id | evidence
            dead | 10:00:40     | crash            | 1       |        |           | Broker 1 killed              | i1          | n1:92
            seen | 10:00:59     | detection        | 2       |        |           | Controller: broker 1 deleted | i1          | n2:14
            won  | 10:01:00.020 | unclean_election | 2       | orders | 0         | orders-0: broker 1 → 2       | i1          | n2:46 """,
        ),
        "edges": frame(
            "edges",
            """
            src  | dst  | relation | because                        | confidence | delay_ms
            dead | seen | R2       | its ZooKeeper session expired  | 0.7        | 19000
            seen | won  | R4       | the controller was handling it | 0.95       | 1020 """,
        ),
        "clock_offsets": frame(
            "clock_offsets",
            """
            node_id | zone | offset_low_ms | offset_high_ms | correction_ms | reference_node_id
            2       | UTC  | -3            | 4              | 0             | 1 """,
        ),
        "violations": frame(
            "violations",
            """
            invariant | topic  | partition | severity | verdict  | detail                            | evidence
            I6        | orders | 0         | high     | violated | leader 2 was not in the ISR [1]   | n2:46
            I24       | orders | 0         | medium   | unknown  | min.insync.replicas is not told   | []     """,
        ),
        "evidence": frame(
            "evidence",
            """
            event_id | ts           | node_id | source_file | line_number | level | logger       | message
            n1:92    | 10:00:40     | 1       | node-1/s.log | 92         | INFO  | kafka.server | Shrinking ISR from 1,2,3 to 1
            n2:14    | 10:00:59     | 2       | node-2/c.log | 14         | INFO  | kafka.ctrl   | deleted brokers: 1
            n2:45    | 10:01:00     | 2       | node-2/s.log | 45         | INFO  | kafka.ctrl   | Changed partition orders-0
            n2:46    | 10:01:00.020 | 2       | node-2/s.log | 46         | INFO  | kafka.ctrl   | Leader orders-0 starts at leader epoch 2 from offset 293 """,
        ),
    }


def page(tables, **changed) -> str:
    asked = {
        "title": "unclean election",
        "inputs": ["traces/unclean"],
        "notes": [],
        "incident_id": None,
        "version": "0.1.0",
        **changed,
    }
    return report(tables, **asked)


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str | None]


class Page(HTMLParser):
    """A page taken apart: its elements, the text of each section by anchor, and its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.elements: list[Element] = []
        self.sections: dict[str, str] = {}
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._section, self._script = "", False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append(Element(tag, dict(attrs)))
        self.handle_data(" ") if tag != "script" else None
        if tag == "section" and (dict(attrs).get("class") or "").split()[:1] == ["section"]:
            self._section = dict(attrs)["id"]
        if tag == "script":
            self.scripts.append((dict(attrs), ""))
            self._script = True

    def handle_endtag(self, tag):
        if tag == "script":
            self._script = False

    def handle_data(self, data):
        if self._script:
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)
        elif self._section:
            self.sections[self._section] = self.sections.get(self._section, "") + data

    def said(self, section):
        return " ".join(self.sections[section].split())

    def of(self, tag):
        return [e.attributes for e in self.elements if e.tag == tag]


@pytest.fixture(scope="module")
def html() -> str:
    return page(unclean_election())


@pytest.fixture(scope="module")
def page_of_report(html) -> Page:
    return Page(html)


# --- what it says ------------------------------------------------------------------------------------------------------------------


def test_sections_come_in_the_order_in_which_they_are_needed(page_of_report):
    """What is to be looked up comes last, folded."""
    assert list(page_of_report.sections) == [
        "summary",
        "timeline",
        "findings",
        "losses",
        "causes",
        "partitions",
        "changes",
        "replication",
        "coverage",
        "glossary",
    ]
    assert [s["id"] for s in page_of_report.of("section") if s.get("class") == "section folded"] == list(
        page_of_report.sections
    )[3:]
    links = [a["href"] for a in page_of_report.of("a") if a.get("href", "").startswith("#") and "=" not in a["href"]]
    assert {f"#{s}" for s in page_of_report.sections} <= set(links)
    ids = [e.attributes["id"] for e in page_of_report.elements if "id" in e.attributes]
    assert len(ids) == len(set(ids))
    assert {link[1:] for link in links} <= set(ids)


def test_the_first_screen_shows_what_was_lost_who_how_long_what_is_next_and_shows_proof(page_of_report):
    """All of it as the incident's record has it."""
    summary = page_of_report.said("summary")
    for part in (
        "critical incident What Unclean election: records lost. When 2024-05-01 10:00:38.000 UTC to the end of the logs.",
        "Who Broker 1; broker 3 made it worse. Harm Writes with acks=all were blocked: orders for 16.0 to 18.0 s.",
        "Lost Committed: 2,577 records of orders. Uncommitted (acks=1 or 0): at most 168 records of clicks.",
        "Over No: 1 ISR not full.",
        "Do Tell the owners of orders.",
        "Broker 1 was killed at 10:00:40.",
        "Lost, committed proven by lines 2,577 records of orders",
        "Lost, uncommitted possible At most 168 records of clicks",
        "Over? as far as logged No: 1 ISR not full",
        "orders still 16.0 to 18.0 s 15.0 to 17.0 s up to 17.0 s 1",
        "Next Tell the owners of orders.",
        "Broker 1 was killed 10:00:40.000 node-1/s.log:92 Shrinking ISR from 1,2,3 to 1",
        "Unclean election of broker 2 10:01:00.020 node-2/s.log:46 Leader orders-0 starts",
    ):
        assert part in summary[: summary.index("All figures")], part
    for part in (
        "Unclean elections proven by lines 1",
        "No working leader proven by lines 16.0 to 18.0 s summed over all partitions",
        "Only one in-sync replica proven by lines 1 min 30 s summed over partitions, without Kafka's own topics",
        "Began between 10:00:38.000 and 10:00:40.000",
        "Lasted so far 1 min 00 s to 1 min 02 s",
        "The first session ended after 19.0 to 21.0 s",
        "All partitions had leaders after 20.0 to 22.1 s",
        "1 verdict: lost. orders-0: broker 1 was alone in the ISR.",
        "10:00:28.000 Broker 3 was killed 10:00:40.000 Broker 1 was killed root 10:01:00.020 Unclean election",
    ):
        assert part in summary[summary.index("All figures") :], part
    assert "Connection warnings" not in summary  # routine
    assert "All ISRs were full" not in summary  # they were not, and Over? says so


def test_what_is_unknown_of_uncommitted_records_is_not_said_of_committed_ones():
    """An open verdict of one class says nothing of the other."""
    row = SimpleNamespace(
        incident_id="one",
        lost_offsets_min=0,
        lost_offsets_max=None,
        acked_possible_min=2,
        acked_possible_max=2,
        undetermined=3,
        lost_committed="none found",
        lost_uncommitted="at most 2 records of orders",
        contributed_to=[],
        unanswered="none found",
        unanswered_offsets=0,
        down=[],
    )
    open_ = frame("losses", "incident_id | verdict      | loss_class\n one       | UNDETERMINED | acked_possible")
    committed, uncommitted, stored = tiles_of_losses(row, open_)
    assert (committed.value, committed.sure, committed.level) == ("None found", "as far as logged", "good")
    assert (uncommitted.value, uncommitted.sure) == ("At most 2 records of orders", "possible")
    assert (stored.value, stored.sure) == ("None found", "as far as logged")
    row.lost_committed, row.lost_offsets_min, row.lost_offsets_max = "30 records of orders", 30, 30
    assert tiles_of_losses(row, open_)[0].sure == "proven by lines"
    assert tiles_of_losses(row, open_.assign(loss_class="committed"))[0].sure == "proven in part"
    row.lost_uncommitted, row.acked_possible_max = "unknown: these files do not show whether records were lost", None
    unknown = tiles_of_losses(row, open_)[1]
    assert (unknown.value, unknown.sure) == ("These files do not show whether records were lost", "unknown")


@pytest.mark.parametrize(
    ("node_id", "ts", "code", "expected"),
    [
        (1, "10:00:40", "F01", "The last line of broker 1 before it crashed"),
        (1, "10:01:30", "F01", "The first line of broker 1 after its restart"),
        (1, "10:01:30", "F33", "what its kind says"),  # a refused start ends then too
        (1, "10:00:39", "F01", "what its kind says"),
        (2, "10:00:40", "F01", "what its kind says"),
    ],
)
def test_a_line_of_a_crash_says_which_line_of_the_broker_it_is(node_id, ts, code, expected):
    kind = {"F01": "killed", "F33": "registration_refused"}[code]
    finding = SimpleNamespace(
        finding_id=f"{kind}/1", broker_ids=[1], code=code, ended_low=at("10:01:30"), ended_high=at("10:01:30")
    )
    line = Line("e", "node-1/s.log:1", at(ts), node_id, "INFO", "a message", "what its kind says")
    assert with_part_in_life(even(unclean_election()), finding, line).tells == expected


def test_a_count_of_further_topics_is_a_link_to_all_of_them():
    assert linked("<b> of `a` and 1,197 more topics (see Losses)") == (
        '&lt;b&gt; of <code>a</code> and <a href="#all-topics">1,197 more topics</a> (see <a href="#losses">Losses</a>)'
    )


def test_faults_of_one_kind_say_why_their_severities_differ():
    tables = unclean_election()
    one = tables["findings"][tables["findings"].role == "root_cause"].iloc[:1]
    worse = one.assign(finding_id="killed/9", severity="critical", title="Broker 9 crashed", broker_ids=[[9]])
    tables["findings"] = pd.concat([tables["findings"], worse], ignore_index=True)
    said = Page(page(tables)).said("findings")
    assert "critical committed records were lost because of it root cause" in said
    assert "because of it" not in Page(page(unclean_election())).said("findings")
    milder = one.assign(finding_id="killed/8", severity="medium", title="Broker 8 crashed", broker_ids=[[8]])
    tables["findings"] = pd.concat([tables["findings"], milder], ignore_index=True)
    for fault_id, expected in (
        (
            "killed/8",
            "medium clients waited 16.0 to 18.0 s because of it; no lost record is traced to it",
        ),
        ("killed/7", "medium these logs attribute no lost record and no blocked client to it"),
    ):
        tables["availability"] = frame(
            "availability",
            "topic | partition | acks | start_ts | end_ts | state | fault_id\n"
            f"orders | 0 | all | 10:00:30 | 10:00:36 | closed | {fault_id}",
        )
        assert expected in Page(page(tables)).said("findings")
    tables["availability"] = frame(
        "availability",
        "topic | partition | acks | start_ts | end_ts | state | fault_id\n"
        "orders | 0 | all | 10:00:30 | 10:00:36 | closed | killed/8\n"
        "orders | 1 | all | 10:00:30 | 10:00:36 | closed | killed/9",
    )
    assert "medium clients waited because of it" in Page(page(tables)).said("findings")  # the time is not its alone
    tables["edges"] = frame(
        "edges",
        "src | dst | rank\nkilled/8 | election/orders-0/5 | 1\nelection/orders-0/5 | loss/orders-0/5/acked_possible/S7 | 1\n"
        "killed/7 | loss/orders-1/5/acked_possible/S7 | 2",
    )
    assert "no loss of a committed record is traced to it, only of records" in Page(page(tables)).said("findings")
    tables["edges"] = frame("edges", "src | dst | rank\nkilled/8 | loss/orders-0/5/acked_possible/S7 | 2")
    assert "medium clients waited because of it; no lost record is traced to it" in Page(page(tables)).said("findings")
    tables["losses"] = tables["losses"].assign(cut_by=[[8, 1], [1]])
    assert "because of it; its broker held a copy of some of the lost records" in Page(page(tables)).said("findings")


def test_the_history_of_a_partition_has_a_loss_where_its_last_copy_is_truncated():
    tables = unclean_election()
    tables["losses"] = tables["losses"].assign(cut_ts=pd.to_datetime(["2024-05-01 10:01:40", None]))
    said = Page(page(tables)).said("partitions")
    assert "10:01:40.000 committed offsets [293, 2870) lost" in said


@for_each(
    ("verdict", "counted"),
    [
        ("PROVEN_LOSS", ["1 loss"]),
        ("POSSIBLE_LOSS", ["1 possible loss"]),
        ("UNDETERMINED", ["1 loss not determined"]),
        ("NO_LOSS", []),
    ],
)
def test_the_history_of_a_partition_counts_a_loss_as_what_it_is(verdict, counted):
    tables = unclean_election()
    tables["losses"] = tables["losses"].assign(verdict=verdict)
    said = Page(page(tables)).said("partitions")
    assert sorted(set(re.findall(r"1 (?:possible )?loss(?: not determined)?", said))) == counted


def test_a_leader_that_was_dead_for_its_whole_leader_epoch_led_nothing():
    """The controller elects it before it notices; the broker itself logs no start of that leader epoch."""
    tables = unclean_election()
    tables["findings"] = tables["findings"].replace({"finding_id": {"F01/1": "killed/1"}})
    epoch = frame(
        "leader_epochs",
        "topic | partition | leader_epoch | leader_id | start_ts | end_ts | elected_from | reason | confidence | evidence\n"
        "orders | 7 | 3 | 1 | 10:00:50 | 10:01:00 | isr | election | observed | n2:46",
    )
    tables["leader_epochs"] = pd.concat(
        [tables["leader_epochs"], epoch, epoch.assign(leader_epoch=4, leader_ts=epoch.start_ts)]
    )
    said = Page(page(tables)).said("partitions")
    assert "the controller names broker 1, which was dead or frozen, leader in leader epoch 3" in said
    assert "broker 1 leads in leader epoch 4" in said
    tables["leader_epochs"] = tables["leader_epochs"].assign(begun_before=lambda of: of.leader_epoch == 3)
    said = Page(page(tables)).said("partitions")
    assert (
        "broker 1, which was dead or frozen by then, had become the leader in leader epoch 3; since when is not" in said
    )
    assert "the controller names broker 1" not in said


@pytest.mark.parametrize(
    ("blocking", "expected"),
    [
        (
            "killed/8",
            "high the metadata quorum was lost because of it, and faults of others last longer without a controller; these logs attribute",
        ),
        ("killed/9", "high clients were blocked, or records may be lost, because of it"),
    ],
)
def test_a_voter_without_which_there_was_no_majority_blocked_no_client_by_that_alone(blocking, expected):
    tables = unclean_election()
    one = tables["findings"][tables["findings"].role == "root_cause"].iloc[:1]
    voter = one.assign(finding_id="killed/9", severity="high", title="Controller 9 crashed", broker_ids=[[9]])
    broker = one.assign(finding_id="killed/8", severity="medium", title="Broker 8 crashed", broker_ids=[[8]])
    lost = one.assign(finding_id="lost", role="effect", code="F11", severity="high", title="Metadata quorum lost")
    tables["findings"] = pd.concat([tables["findings"], voter, broker, lost], ignore_index=True)
    tables["edges"] = frame(
        "edges", "src | dst | relation | rank\n killed/9 | lost | R26 | 1\n killed/8 | lost | R26 | 2"
    )
    tables["availability"] = frame(
        "availability",
        "topic | partition | acks | start_ts | end_ts | state | fault_id\n"
        f"orders | 0 | all | 10:00:30 | 10:00:36 | closed | {blocking}",
    )
    assert expected in Page(page(tables)).said("findings")


def test_a_topic_that_was_deleted_meanwhile_is_not_reported_as_never_down():
    """Nor where it was only perhaps down is a number of partitions said."""
    tables = unclean_election()
    tables["availability"] = frame(
        "availability",
        "topic | partition | acks | start_ts | end_ts   | state\n"
        "gone  | 0         | all  | 10:00:00 | 10:01:00 | open\n"
        "quiet | 0         | all  | 10:00:00 |          | open ",
    )
    incidents = tables["incidents"].head(1)
    tables["incidents"] = incidents.assign(down=[[dict(one, partitions=0) for one in incidents.down[0]]])
    summary = Page(page(tables)).said("summary")
    assert "Never down: quiet." in summary
    assert "up to 17.0 s none certain" in summary


@pytest.mark.parametrize("state", ["closed", "unknown"])
def test_a_topic_that_was_or_may_have_been_blocked_is_not_reported_as_never_down(state):
    """Nor where no fault explains it: a new leader epoch can keep writers waiting."""
    tables = unclean_election()
    tables["availability"] = frame(
        "availability",
        "topic  | partition | acks | start_ts | end_ts   | state\n"
        f"paused | 0         | all  | 10:00:30 | 10:00:31 | {state}\n"
        "paused | 0         | all  | 10:00:31 |          | open\n"
        "quiet  | 0         | all  | 10:00:00 |          | open ",
    )
    assert "Never down: quiet." in Page(page(tables)).said("summary")


def test_what_lines_of_several_nodes_say_alike_is_merged_and_what_differs_stays():
    paragraphs = dict.fromkeys(("because", "follows", "effect", "data", "heals", "next", "never", "level", "whose"), "")
    rejected = paragraphs | {"says": "Rejected.", "count": 2, "is_least": False}
    told = [
        rejected | {"where": "node-2/s.log:7", "first": "10:00:02", "last": "10:00:02"},
        rejected | {"where": "node-1/s.log:9", "first": "10:00:01", "last": "10:00:03", "count": 1, "is_least": True},
        rejected | {"where": "node-1/s.log:8", "first": None, "last": None, "effect": "Another effect."},
    ]
    alike, apart = alike_merged(told)
    assert alike == told[1] | {"count": 3}
    assert (apart["where"], apart["count"], apart["effect"]) == ("node-1/s.log:8", 2, "Another effect.")


def test_where_faults_began_one_after_the_other_it_is_said_after_which_of_them():
    tables = unclean_election()
    both = [[1, 2]] * len(tables["incidents"])
    tables["incidents"] = tables["incidents"].assign(broker_ids=both, isr_full_low_ms=8_000, isr_full_high_ms=54_000)
    summary = Page(page(tables)).said("summary")
    assert "The first session ended 19.0 to 21.0 s after its broker went away" in summary
    assert "All ISRs were full at least 8.0 s after the last fault began, at most 54.0 s after the first" in summary
    assert "All partitions had leaders after 20.0 to 22.1 s" in summary


def test_times_since_a_fault_that_began_before_its_first_line_are_lower_bounds():
    tables = unclean_election()
    bounds = {"detected_low_ms": 4_459, "leaders_low_ms": 0, "isr_full_low_ms": 51_191}
    unknown = {"t0_low": None, "detected_high_ms": None, "leaders_high_ms": None, "isr_full_high_ms": None}
    tables["incidents"] = tables["incidents"].assign(**bounds, **unknown)
    summary = Page(page(tables)).said("summary")
    assert "The first session ended after at least 4.4 s" in summary
    assert "All ISRs were full after at least 51.1 s" in summary
    assert "All partitions had leaders" not in summary
    tables["incidents"] = tables["incidents"].assign(broker_ids=[[1, 2]] * len(tables["incidents"]))
    of_several = Page(page(tables)).said("summary")
    assert "All ISRs were full at least 51.1 s after the last fault before it began" in of_several


def test_the_title_stands_once(html):
    once = page(unclean_election(), title="Unclean election: records lost")
    assert re.sub(r"<title>.*?</title>", "", once).count(">Unclean election: records lost</h") == 1
    assert "<h1>Unclean election: records lost</h1>" in once
    assert "<dd>Unclean election: records lost.</dd>" in html  # under a page's title that is another
    assert "<dd>Unclean election: records lost.</dd>" not in once


def test_the_condition_of_an_unclean_election_stands_beside_it():
    tables = unclean_election() | {
        "topic_settings": frame(
            "topic_settings", "topic | name | value | event_id\n orders | unclean.leader.election.enable | true | n1:92"
        ),
        "settings": frame("settings", "name | value | node_id\n unclean.leader.election.enable | false | 1"),
        "glossary": glossary(),
    }
    summary = Page(page(tables)).said("summary")
    assert "unclean.leader.election.enable false; true for orders" in summary


@pytest.mark.parametrize(("relation", "rank", "is_named"), [("R13", 1, True), ("R13", 2, False), ("R4", 1, False)])
def test_the_lag_that_leaders_allow_stands_beside_the_times_where_they_waited_for_it(relation, rank, is_named):
    """Beside the session timeout, which does not shorten such a wait."""
    edges = frame("edges", f"src | dst | relation | rank\n dead | won | {relation} | {rank}")
    tables = unclean_election() | {
        "edges": edges,
        "settings": frame("settings", "name | value | node_id\n replica.lag.time.max.ms | 30000 | 1"),
        "glossary": glossary(),
    }
    assert ("replica.lag.time.max.ms 30000" in Page(page(tables)).said("summary")) is is_named


def test_the_cluster_is_named_at_the_top():
    tables = unclean_election() | {
        "node_facts": frame(
            "node_facts",
            """
            node_id | name          | value  | event_id
            1       | cluster_id    | W3crX1 | n1:92
            1       | kafka_version | 2.8.2  | n1:92
            2       | kafka_version | 3.0.0  | n2:14 """,
        ),
        "controllers": unclean_election()["controllers"].assign(mode="zk"),
        "isr_spans": pd.concat(
            unclean_election()["isr_spans"].assign(topic=topic, min_isr=least)
            for topic, least in (("orders", 2), ("clicks", 1), ("__consumer_offsets", 3))
        ),
        "clock_offsets": frame(
            "clock_offsets",
            "node_id | zone | correction_ms\n 1 | Europe/Berlin | 3200\n 2 | Europe/Berlin | 0",
        ),
    }
    html = page(tables)
    header = re.sub(r"<[^>]+>", " ", html[html.index("<header class") : html.index("</header>")])
    header = " ".join(header.split())
    for part in (
        "Cluster W3crX1",
        "Kafka 2.8.2 (broker 1), 3.0.0 (broker 2)",
        "Mode ZooKeeper",
        "Brokers 3 (1, 2, 3)",
        "min.insync.replicas 1 (clicks), 2 (orders)",
        "logs in Europe/Berlin",
        "Clocks corrected: node 1 was 3,200 ms ahead",
    ):
        assert part in header, part
    assert "local time of the logs: 2024-05-01 12:00:38 Europe/Berlin" in Page(html).said("summary")


def test_a_controller_that_is_no_broker_is_a_controller():
    tables = unclean_election() | {
        "voter_sets": frame("voter_sets", "node_id | start_ts | voters | directory_ids\n 101 | 10:00:00 | 101,1 | x,y")
    }
    assert [nodes_by_role(tables, ids) for ids in ([2, 1], [101, 1], [9, 1])] == [
        "brokers 1 and 2",
        "broker 1 and controller 101",
        "broker 1 and node 9",
    ]
    ends = "topic | partition | node_id | ts | log_end_offset\n"
    replicas = "\n".join(f"__cluster_metadata | 0 | {node} | 10:00:0{node % 9} | 60" for node in (101, 1))
    tables["high_watermarks"] = frame("high_watermarks", ends + replicas)
    said = Page(page(tables)).said("partitions")
    assert "controller 101: log end offset 60" in said
    assert "broker 1: log end offset 60" in said
    tables["findings"] = tables["findings"].assign(broker_ids=[[101]] * len(tables["findings"]))
    assert "At fault controller 101" in Page(page(tables)).said("findings")


def test_several_incidents_are_a_table_and_each_has_its_account(page_of_report):
    """Its times set the charts to it; those of one cause at the same brokers are one row; the worst comes first."""
    summary = page_of_report.said("summary")
    assert "2 incidents. Broker 1: f01. Broker 2: f17." in summary
    assert "All incidents, the worst first, then in the order of time" in summary
    assert summary.index("critical Unclean election") < summary.index("info Preferred leaders were restored")
    assert (
        "between 10:00:38 and 10:00:40 1 min 00 s to 1 min 02 s critical Unclean election: records lost broker 1 16.0 to 18.0 s"
        in summary
    )
    assert "committed: 2,577 records of orders; uncommitted: at most 168 records of clicks" in summary
    (link,) = [a for a in page_of_report.of("a") if a.get("href") == "#incident-i2" and "data-from" in a]
    assert link["data-from"] == "2024-05-01 10:01:50.000"
    assert "Preferred election at 10:01:50." in page_of_report.said("findings")  # at the head of its findings
    tables = unclean_election()
    again = (
        tables["incidents"]
        .iloc[:1]
        .assign(incident_id="i3", start_ts=pd.Timestamp("2024-05-01 10:01:20"), t0_low=None, t0_high=None)
    )
    tables["incidents"] = pd.concat([tables["incidents"], again], ignore_index=True)
    summary = Page(page(tables)).said("summary")
    assert "Broker 1: f01 (twice)." in summary
    assert "committed: 2,577 records of orders each time" in summary
    assert (
        "between 10:00:38 and 10:00:40, 10:01:20 up to 1 min 02 s critical F01 2 times broker 1 up to 18.0 s" in summary
    )
    harmless = tables["incidents"].incident_id == "i3"
    tables["incidents"].loc[harmless, ["lost_committed", "lost_uncommitted"]] = "none found"
    assert "committed: 2,577 records of orders (once)" in Page(page(tables)).said("summary")


def test_losses_of_one_incident_are_not_reported_for_another():
    """The table of losses names the incident of each: an ISR that changes later in the same leader epoch takes none away."""
    other = Page(page(unclean_election(), incident_id="i2"))
    assert "No leader change, truncation or restart here could have lost data." in other.said("summary")
    tables = unclean_election()
    later = tables["vertices"].iloc[-1:].assign(id="shrunk", kind="isr_shrink", incident_id="i2")
    tables["vertices"] = pd.concat([tables["vertices"], later], ignore_index=True)
    assert "1 verdict: lost. orders-0: broker 1 was alone in the ISR." in Page(page(tables)).said("summary")


def test_the_incident_can_be_chosen():
    other = Page(page(unclean_election(), incident_id="i2"))
    assert other.said("summary").startswith("What happened info routine work What Preferred leaders were restored.")
    assert "When 2024-05-01 10:01:50.000 to 10:01:51.000 UTC." in other.said("summary")
    assert "No chain of cause and effect was found for the first incident." in other.said("causes")
    assert "Unclean election: records lost" in other.said("causes")  # folded
    with pytest.raises(KeyError):
        page(unclean_election(), incident_id="i3")


def test_no_end_of_a_cut_link_is_called_at_fault():
    """The page says who was cut off: the fault can be at either end, or in the network between."""
    names = {
        (code, role, severity): findings.Finding(
            SimpleNamespace(code=code, role=role, severity=severity), "", "", "", "broker 3", [], [], 0, "", []
        ).part_of_its_nodes
        for code, role, severity in (
            ("F05", "root_cause", "high"),
            ("F01", "root_cause", "high"),
            ("F05", "effect", "low"),
        )
    }
    assert list(names.values()) == ["Cut off", "At fault", "Concerns"]


def test_findings_carry_their_lines_what_is_missing_and_their_confidence(page_of_report):
    findings = page_of_report.said("findings")
    for part in (
        "high root cause F01 lines to copy Broker 1 was killed",
        "At fault broker 1",
        "Began 2024-05-01 10:00:40.000",
        "node-2/s.log:46 2024-05-01 10:01:00.020 · node 2 · INFO Leader orders-0 starts at leader epoch 2",
        "What the logs do not show Logs never show acks",
        "n1:80 text not included in this page",
        "Routine (1 finding) info benign F20",
    ):
        assert part in findings
    assert (
        findings.index("Broker 1 was killed")
        < findings.index("Broker 3 was killed")
        < findings.index("Unclean election of broker 2")
        < findings.index("Preferred election")
    )


def test_the_ledger_names_range_class_verdict_premise_and_holder(page_of_report):
    losses = page_of_report.said("losses")
    assert "orders-0 leader epoch 2 [293, 2870) 2,577 offsets, exactly committed lost PROVEN_LOSS · S4" in losses
    assert "1 → 2 broker 1 was alone in the ISR none known node-2/s.log:46" in losses
    assert "clicks acks=1 or acks=0 only 1 0 168 0 / 1 / 0" in losses
    assert "orders any producer, including acks=all 1 2,577 2,577 1 / 0 / 0" in losses
    assert (
        "clicks-0 leader epoch 2 [145, 313) at least none; 168 offsets at most uncommitted possibly lost POSSIBLE_LOSS · S7"
        in losses
    )


def test_elections_say_whether_they_were_clean(page_of_report):
    changes = page_of_report.said("changes")
    assert "orders-0 2 1 → 2 unclean outside the ISR end of the previous leader's session 20 ms" in changes
    assert "broker 1 2870 293 where the logs diverge 2,577 2784 truncated below it 2 led by broker 2" in changes
    assert (
        "orders-0 broker 1 0 10:01:00.020 2024-05-01 10:01:20.000 2024-05-01 10:01:45.020 2024-05-01 45.0 s" in changes
    )
    assert "Last line as the leader (UTC)" in changes  # it may have led after that line
    assert "12 ms" not in changes  # as long as the news takes in every change of leader
    assert "I6 high orders-0 leader 2 was not in the ISR [1]" in changes
    assert "broker 1 10:00:00.000 2024-05-01 10:00:00.000 2024-05-01 10:00:59.000 2024-05-01 crash" in changes


def test_controllers_stand_in_the_order_of_their_epochs(page_of_report):
    assert "7 node 1 10:00:00.000 2024-05-01 220 ms 10:01:00.000 2024-05-01" in page_of_report.said("changes")
    assert "8 node 2 10:01:00.000 2024-05-01 not known still open" in page_of_report.said("changes")


def test_a_stale_leader_is_one_that_acted_or_took_records_that_were_dropped():
    """Who was frozen and learned late led nothing; 628 ms in which records were taken that the next leader never had count."""
    tables = unclean_election()
    tables["deposed_leaders"] = frame(
        "deposed_leaders",
        """
        topic  | partition | broker_id | leader_epoch | deposed_ts   | last_led_ts  | learnt_ts    | believed_low_ms | believed_ms | evidence
        orders | 0         | 3         | 0            | 10:01:00.000 |              | 10:01:30.000 | 30000           | 30000       | n1:92
        clicks | 0         | 1         | 3            | 10:01:00.000 |              | 10:01:00.628 | 628             | 628         | n2:14
        clicks | 0         | 2         | 3            | 10:01:00.000 |              | 10:01:00.628 | 628             | 628         | n2:14 """,
    )
    changes = Page(page(tables)).said("changes")
    assert "clicks-0 broker 1 3 10:01:00.000" in changes and "628 ms" in changes
    assert "orders-0 broker 3" not in changes and "clicks-0 broker 2 3" not in changes


@for_each(
    ("place", "shown"),
    [
        ("node-3/data/data0/replication-offset-checkpoint:17", "node-3/…/data0/replication-offset-checkpoint:17"),
        ("node-3/data0/replication-offset-checkpoint:17", "node-3/data0/replication-offset-checkpoint:17"),
        ("data0/replication-offset-checkpoint:17", "data0/replication-offset-checkpoint:17"),
        ("/var/data0/replication-offset-checkpoint:17", "data0/replication-offset-checkpoint:17"),
    ],
)
def test_the_place_of_a_file_without_lines_names_its_node(place, shown):
    assert f"<code>{shown}</code>" in Evidence(tidy(None, "evidence")).proof([place])


def test_how_long_a_leader_was_stale_has_both_bounds_and_ends_with_its_process():
    """Its process ended at 10:01:32 at the latest: the next one began to follow at 10:01:36, and was never a stale leader."""
    tables = unclean_election()
    tables["deposed_leaders"] = frame(
        "deposed_leaders",
        """
        topic  | partition | broker_id | leader_epoch | deposed_ts | last_led_ts | learnt_ts | ended_ts | believed_low_ms | believed_ms
        clicks | 0         | 1         | 3            | 10:01:00   | 10:01:04    | 10:01:36  | 10:01:32 | 4000            | 32000
        orders | 0         | 1         | 0            | 10:01:00   | 10:01:05    |           |          | 5000            | 5000 """,
    )
    changes = Page(page(tables)).said("changes")
    assert "10:01:04.000 2024-05-01 not by 10:01:32.000, when its process had ended 4.0 to 32.0 s" in changes
    assert "10:01:05.000 2024-05-01 not known at least 5.0 s" in changes


def test_who_was_dropped_from_isrs_is_ranked_and_says_at_whom_it_points(page_of_report):
    changes = page_of_report.said("changes")
    assert "broker 3 broker 1 4 1 of them within 30 s of the end of its session 2 broker 3" in changes
    assert "broker 2 broker 1 1 1 either" in changes
    assert changes.index("broker 3 broker 1 4") < changes.index("broker 2 broker 1 1")


def test_a_partition_that_ends_without_a_leader_has_its_replicas_listed_the_best_first(page_of_report):
    changes = page_of_report.said("changes")
    best = changes.index("clicks-0 1 broker 1 yes no 313 0 10:00:40.000")
    assert (
        best
        < changes.index("clicks-0 2 broker 2 no not known not known not known –")
        < changes.index("clicks-0 3 broker 3 no yes 145 168 10:00:20.000")
    )
    assert "orders-0 1 broker 1 yes yes" not in changes


def test_coverage_adds_up_and_the_limits_are_said():
    page_of_report = Page(page(unclean_election(), notes=["Node 3 left no files."]))
    coverage = page_of_report.said("coverage")
    for part in (
        "2 files: 1,500 records = 1,490 matched + 10 unmatched.",
        "Inputs: traces/unclean",
        "Node 3 left no files.",
        "Logs never show acks",
        "Invariant I24 could not be decided in 1 case; the first one: orders-0: min.insync.replicas is not told.",
        "8 WARN Strange <…> e.g. Strange 7 kafka.server",
        "Messages of other loggers (1)",
        "2 start of the logs end of the logs UTC -53 to 54 ms none node 1",
    ):
        assert part in coverage


def test_a_log_that_begins_while_kafka_runs_is_complete_only_from_there_on():
    tables = unclean_election()
    tables["coverage_spans"] = frame(
        "coverage_spans",
        """
        node_id | log    | start_ts | end_ts   | lines | roles | complete | evidence
        1       | server | 10:00:00 | 10:05:00 | 9     | 0     | true     | node-1/server.log:1
        2       | server | 10:01:00 | 10:05:00 | 9     | 0     | true     | node-2/server.log:1
        3       | server | 10:00:00 | 10:05:00 | 9     | 0     | false    | node-3/server.log:1 """,
    )
    tables["blind_spots"] = frame("blind_spots", "kind | node_id | end_ts\nbegins_late | 2 | 10:01:00")
    coverage = Page(page(tables)).said("coverage")
    assert "9 0 from its first line on, no line is known to be missing node-1/server.log:1" in coverage
    assert "9 0 begins while it runs; from its first line on, no line is known to be missing node-2" in coverage
    assert "9 0 single lines are missing node-3/server.log:1" in coverage


def test_records_that_do_not_add_up_are_reported():
    tables = unclean_election()
    tables["coverage"]["matched"] = 900
    assert "1,500 records, but 1,800 matched + 10 unmatched: this does not add up." in Page(page(tables)).said(
        "coverage"
    )


def clear(verdict: str, statement: str, *doubts: str) -> pd.DataFrame:
    return whole(
        "all_clear",
        pd.DataFrame([{"verdict": verdict, "statement": statement, "doubts": list(doubts), "evidence": []}]),
    )


def test_a_page_over_a_part_of_the_logs_rules_nothing_out():
    calm = {name: unclean_election()[name] for name in ("coverage", "leader_epochs", "isr_spans")}
    calm["all_clear"] = clear(
        "not_ruled_out", "These logs show no loss, but do not rule one out. No logs of node 3.", "No logs of node 3."
    )
    summary = Page(page(calm)).said("summary")
    assert "do not rule one out. No logs of node 3." in summary
    assert "could have lost data. This rests" not in summary


def test_a_calm_cluster_is_reported_calmly_and_on_what_that_rests():
    calm = {name: unclean_election()[name] for name in ("coverage", "leader_epochs", "isr_spans")}
    calm["leader_epochs"] = calm["leader_epochs"].iloc[:1].assign(end_ts=None)
    calm["all_clear"] = clear("none_possible", "Nothing in these logs could have lost committed records.")
    page_of_report = Page(page(calm))
    summary = page_of_report.said("summary")
    for part in (
        "calm nothing was found",
        "2 files of 2 nodes (1, 2), 1,500 records read, 10 of them unrecognized.",
        "They cover 2024-05-01 10:00:00.000 to 10:02:00.000 UTC, 2 min 00 s; this result says nothing about any other time.",
        "1 leader epoch of 1 partition rebuilt",
        "Nothing in these logs could have lost committed records. Basis: No leader change, truncation or restart here could have lost data.",
        "These logs cannot rule out a fault that crosses no timeout, because such a fault leaves no line.",
    ):
        assert part in summary
    assert "No finding." in page_of_report.said("findings")
    assert "no data loss" not in " ".join(page_of_report.sections.values()).lower()


def test_errors_of_unknown_cause_are_not_reported_calmly():
    calm = {name: unclean_election()[name] for name in ("coverage", "leader_epochs", "isr_spans")}
    seen = "finding_id | code | role | severity | title | summary\n seen | F00 | effect | low | Errors were logged, cause unknown | Told."
    summary = Page(page({**calm, "findings": frame("findings", seen)})).said("summary")
    assert "no incident but errors were logged whose cause is unknown: their lines" in summary
    assert "calm" not in summary


def test_what_no_fault_explains_is_not_reported_calmly():
    alone = {name: frame.iloc[:0] if name == "incidents" else frame for name, frame in unclean_election().items()}
    alone["findings"] = alone["findings"].assign(incident_id=None)
    summary = Page(page(alone)).said("summary")
    assert "cause not logged What Unclean election of broker 2. These logs do not show why." in summary
    assert "Broker 1 was killed. no shutdown line" in summary
    assert "calm" not in summary and "No incident was found" not in summary


@pytest.mark.parametrize(
    "tables", [{}, {name: frame.iloc[:0] for name, frame in unclean_election().items()}], ids=["missing", "empty"]
)
def test_from_nothing_read_nothing_is_concluded(tables):
    page_of_report = Page(page(tables, inputs=[]))
    assert (
        "unknown whether anything went wrong What Whether anything went wrong is unknown: no leader epoch of any "
        "partition could be rebuilt." in page_of_report.said("summary")
    )
    assert "calm" not in page_of_report.said("summary")
    assert "No file was read." in page_of_report.said("coverage")
    assert "no leader epoch, no ISR and no offset" in page_of_report.said("timeline")


def lost(verdict, low=None, high=None, loss_class="committed"):
    losses = frame(
        "losses",
        "topic | partition | ts | from_offset | verdict | loss_class | premise\n orders | 0 | 10:00:00 | 100 | X | committed | the premise",
    )
    return losses.assign(verdict=verdict, to_offset_low=low, to_offset_high=high, loss_class=loss_class)


@for_each(
    ("losses", "said", "level"),
    [
        ([lost("PROVEN_LOSS", 110, 110)], "Committed records of 1 partition are lost.", "bad"),
        (
            [lost("PROVEN_LOSS", 110, 110), lost("UNDETERMINED")],
            "Committed records of 1 partition are lost.",
            "bad",
        ),
        ([lost("POSSIBLE_LOSS", 100, None)], "Committed records of 1 partition may be lost.", "warn"),
        ([lost("UNDETERMINED")], "Committed records of 1 partition may be lost.", "warn"),
        ([lost("NO_LOSS_OBSERVED", 100, 100)], "No loss of committed records was found.", ""),
        (
            [lost("POSSIBLE_LOSS", 100, 168, "acked_possible")],
            "No loss of committed records was found. In 1 partition, records that not all in-sync replicas held "
            "may have been discarded: only producers with acks=1 or acks=0 can miss them.",
            "warn",
        ),
    ],
)
def test_losses_are_stated_with_their_premise(losses, said, level):
    statement = loss_statement(rows(tidy(pd.concat(losses), "losses")), "No loss of committed records was found.")
    assert (statement.text, statement.level) == (said, level)
    assert "the premise" in statement.premise


def test_records_that_are_there_and_cannot_be_read_are_no_loss_and_are_said():
    held = rows(tidy(lost("NO_LOSS_OBSERVED", 100, 100), "losses"))
    statement = loss_statement(held, "No loss of committed records was found.", "", ["orders-0"])
    assert statement.level == "warn" and statement.text == (
        "No loss of committed records was found. "
        "Records of orders-0 are damaged in the log of their leader: whether another replica holds an undamaged copy is not checked here."
    )


def test_damaged_records_are_known_by_the_kind_of_the_fault():
    tables = unclean_election()
    tables["vertices"].loc[tables["vertices"].id == "dead", ["id", "kind"]] = ["F01/1", "records_damaged"]
    tables["findings"].at[0, "partitions"] = ["orders-0"]
    assert "Records of orders-0 are damaged" in Page(page(tables)).said("summary")


@pytest.mark.parametrize(
    ("rule", "expected", "row"),
    [
        ("iterative", 350, "293 the logs diverge at 350 by leader epoch"),
        ("high_watermark", 293, "293 its own high watermark: it follows without leader epochs"),
        (None, None, "2870 293 2,577"),
    ],
)
def test_a_cut_that_is_not_where_the_logs_part_says_so(rule, expected, row):
    tables = unclean_election()
    tables["truncations"] = tables["truncations"].assign(rule=rule, expected_offset=expected)
    assert row in Page(page(tables)).said("changes")


def test_three_hundred_partitions_are_cut_and_counted():
    tables = unclean_election()
    for name in ("elections", "losses", "truncations", "leader_epochs", "isr_spans", "commit_bands"):
        one = tables[name].iloc[-1:]
        tables[name] = pd.concat([one.assign(partition=p) for p in range(300)])
    page_of_report = Page(page(tables))
    assert "300 partitions orders-0, orders-1, orders-2, orders-3 and 296 more" in page_of_report.said("changes")
    assert "Elections (300, in 1 row)" in page_of_report.said("changes")
    assert (
        "100 more not shown, of 300; to list all, run kafka-replay partition RESULT TOPIC-PARTITION; RESULT is the folder of this report"
        in page_of_report.said("changes")
    )
    losses = page_of_report.said("losses")
    assert "(300, in 1 row)" in losses and "clicks-0 and 299 partitions alike" in losses
    assert "To list all, run kafka-replay losses RESULT --csv; RESULT is the folder of this report" in losses
    assert "Drawn: 6 of the 600 partitions whose known offsets change or are lost." in page_of_report.said("timeline")
    charts = {a["id"]: json.loads(text) for a, text in page_of_report.scripts if a.get("type") == "application/json"}
    assert charts["chart-leader-epochs-data"]["layout"]["yaxis"]["ticktext"] == ["orders-0 and 299 alike"]


def test_of_frames_that_were_cut_short_the_partitions_of_the_whole_tables_are_counted():
    totals = whole(
        "totals",
        pd.DataFrame(
            [("leader_epochs", 9_000), ("isr_spans", 8_000), ("commit_bands", 7_000)], columns=["table", "partitions"]
        ),
    )
    page_of_report = Page(page(unclean_election() | {"totals": totals}))
    held = len(unclean_election()["isr_spans"][["topic", "partition"]].drop_duplicates())
    for every in ("9,000", "8,000"):
        assert f"Drawn: {held} of {every} partitions, those with the most events." in page_of_report.said("timeline")
    assert "most events" not in Page(page(unclean_election())).said("timeline")
    assert "partitions whose known offsets change or are lost." in page_of_report.said("timeline")


# --- the same each time, and nothing but itself ------------------------------------------------------------------------------------


def test_the_page_is_the_same_for_the_same_input_in_any_order(html):
    shuffled = {name: table.sample(frac=1, random_state=7) for name, table in reversed(unclean_election().items())}
    assert page(shuffled) == html


def test_times_with_a_zone_and_without_make_the_same_page(html):
    aware = {
        name: table.assign(
            **{c: table[c].dt.tz_localize("UTC") for c in table if str(table[c].dtype).startswith("datetime64")}
        )
        for name, table in unclean_election().items()
    }
    assert page(aware) == html


def unpacked(page_of_report: Page) -> str:
    """Plotly's script, as the page unpacks it."""
    (packed,) = [text for attributes, text in page_of_report.scripts if attributes.get("id") == "plotly"]
    return gzip.decompress(base64.b64decode(packed)).decode()


def test_plotly_is_in_the_page_once_and_packed(html, page_of_report):
    assert "plotly.js (basic" not in html
    assert unpacked(page_of_report).count("plotly.js (basic") == 1


def test_nothing_is_loaded_from_anywhere(page_of_report):
    for tag, attributes in page_of_report.elements:
        for name in ("src", "href", "srcset", "action", "data", "poster", "background"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, name, value)
    assert (
        "@import" not in "".join(page_of_report.sections)
        and not page_of_report.of("iframe")
        and not page_of_report.of("object")
    )


def test_the_policy_lets_no_script_run_but_the_pages_own(page_of_report):
    (policy,) = [m["content"] for m in page_of_report.of("meta") if m.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "connect-src" not in rules and "font-src" not in rules and "unsafe" not in rules["script-src"]
    run = [unpacked(page_of_report), *[text for attributes, text in page_of_report.scripts if not attributes]]
    assert len(run) == 2
    assert rules["script-src"].split() == [
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in run
    ]


def test_the_page_can_be_walked_without_eyes_or_mouse(page_of_report):
    assert page_of_report.of("html") == [{"lang": "en"}]
    assert (
        len(page_of_report.of("main")) == 1
        and len(page_of_report.of("h1")) == 1
        and page_of_report.of("nav")[0]["aria-label"]
    )
    assert {"class": "skip", "href": "#content"} in page_of_report.of("a")
    assert all(h.get("scope") == "col" for h in page_of_report.of("th"))
    scrolled = [d for d in page_of_report.of("div") if (d.get("class") or "").startswith(("scroll", "wide"))]
    assert scrolled and all(
        d["tabindex"] == "0" and (d.get("aria-label") or d.get("aria-labelledby")) for d in scrolled
    )


# --- log text stays text -----------------------------------------------------------------------------------------------------------


def nasty_tables() -> dict[str, pd.DataFrame]:
    """The same story with a script in every text, names and ids included; references still fit together."""
    tables = unclean_election()
    texts = {
        "coverage": ["source_file", "layout"],
        "unmatched": ["normalized", "logger", "level", "example"],
        "findings": ["title", "summary", "code", "severity"],
        "incidents": ["title", "severity"],
        "vertices": ["kind", "label"],
        "edges": ["because", "relation"],
        "losses": ["premise", "scenario"],
        "evidence": ["source_file", "level", "logger", "message"],
        "violations": ["invariant", "detail", "severity"],
        "clock_offsets": ["zone"],
        "leader_epochs": ["reason", "confidence"],
        "elections": ["trigger"],
        "high_watermarks": ["source", "role"],
        "broker_sessions": ["ended_by"],
    }
    for name, columns in texts.items():
        for column in columns:
            tables[name][column] = NASTY
    for name, table in tables.items():
        for column in table:
            if column in ("topic", "finding_id", "incident_id", "root_finding_id", "src", "dst") or (
                column == "id" and name == "vertices"
            ):
                table[column] = [NASTY + value if value else value for value in table[column]]
            if column.endswith("evidence") or column in ("partitions", "blind_spots"):
                table[column] = [[NASTY, *values] for values in table[column]]
    return tables


def test_text_from_logs_is_never_markup():
    page_of_report = Page(page(nasty_tables(), title=NASTY, inputs=[NASTY], notes=[NASTY], version=NASTY))
    assert not page_of_report.of("img")
    assert not [a for _, a in page_of_report.elements if any(name.startswith("on") for name in a)]
    assert [bool(a) for a, _ in page_of_report.scripts].count(
        False
    ) == 1  # no script but the page's own, and what it unpacks
    assert page_of_report.sections.keys() == Page(page(unclean_election())).sections.keys()
    assert "{{7*7}}" in page_of_report.said("findings")
    assert all(link["href"].startswith(("#", "data:")) for link in page_of_report.of("a") + page_of_report.of("link"))


@for_each(
    ("end", "last_line", "is_over", "returned", "expected"),
    [
        ("10:03:03.967", "10:02:38", True, 0, ("Yes", "as far as logged")),
        ("10:03:03.967", "10:03:30", True, 0, ("Yes, by 10:03:04", "proven by lines")),
        ("10:03:03.000", "10:03:30", True, 0, ("Yes, by 10:03:03", "proven by lines")),
        (
            "10:03:03.000",
            "10:03:30",
            True,
            6,
            ("Yes", "as far as logged"),
        ),  # writers may have waited for preferred leaders
        ("10:03:03.967", "10:03:30", False, 0, ("No: 1 ISR not full", "as far as logged")),
        ("10:03:03.967", "10:03:30", None, 0, ("not known", "unknown")),
    ],
)
def test_the_time_by_which_it_was_over_is_neither_early_nor_after_the_last_line(
    end, last_line, is_over, returned, expected
):
    end_ts = pd.Timestamp(f"2024-05-01 {end}")
    still = ["1 ISR not full"]
    incident = SimpleNamespace(end_ts=end_ts, is_over=is_over, still=still, afterwards=[], preferred_elections=returned)
    lines = [None, pd.Timestamp("2024-05-01 10:00:00"), pd.Timestamp(f"2024-05-01 {last_line}")]
    tile = over(incident, lines)
    assert (tile.value, tile.sure) == expected


def test_a_kind_of_write_that_fewer_partitions_refused_has_their_number():
    """Followers of a dead broker keep acks=all waiting in all 6 partitions; it led 4."""
    of_topic = DOWN | {"acks_all_partitions": 6, "acks_one_partitions": 4, "reads_partitions": 0, "partitions": 6}
    incident = SimpleNamespace(down=[of_topic], end_ts=None)
    empty = {name: whole(name, frame(name, "topic")) for name in ("availability", "leader_epochs", "isr_spans")}
    [one], _ = down(empty, incident)
    assert (one.acks_all, one.acks_one, one.partitions) == ("16.0 to 18.0 s", "15.0 to 17.0 s (4 partitions)", "6")


@pytest.mark.parametrize(("incident_id", "ended"), [("one", "(2)"), ("two", "(1)")])
def test_what_ended_waits_for_a_fault_of_another_incident_is_counted_there(incident_id, ended):
    """Two incidents at the same time; no fault is known for the wait of partition 2, which counts in both."""
    texts = {
        "availability": """
            topic  | partition | acks | start_ts | end_ts   | state  | reason                 | fault_id | ended_by
            orders | 0         | all  | 10:00:01 | 10:00:09 | closed | waiting_for_isr_member | cut      | isr_grew
            orders | 2         | all  | 10:00:01 | 10:00:09 | closed | waiting_for_isr_member |          | isr_grew """,
        "findings": "finding_id | incident_id\n cut | one",
        "leader_epochs": "topic",
        "isr_spans": "topic",
    }
    tables = {name: whole(name, frame(name, text)) for name, text in texts.items()}
    start_ts, end_ts = pd.Timestamp("2024-05-01 10:00:00"), pd.Timestamp("2024-05-01 10:00:20")
    incident = SimpleNamespace(down=[DOWN], start_ts=start_ts, end_ts=end_ts, is_over=True, incident_id=incident_id)
    [one], _ = down(tables, incident)
    [(text, _)] = one.ended
    assert text.endswith(ended)


def test_a_kind_of_write_that_one_partition_may_have_refused_is_not_that_of_all():
    of_topic = DOWN | {"acks_one_low_ms": 0, "acks_one_high_ms": 9600, "acks_one_partitions": 1, "partitions": 6}
    incident = SimpleNamespace(down=[of_topic], end_ts=None)
    empty = {name: whole(name, frame(name, "topic")) for name in ("availability", "leader_epochs", "isr_spans")}
    [one], _ = down(empty, incident)
    assert one.acks_one == "up to 9.6 s (1 partition)"


def test_a_number_of_partitions_is_a_lower_bound_where_others_may_have_been_down():
    of_topic = DOWN | {"acks_all_partitions": 6, "acks_one_partitions": 4, "reads_partitions": 2, "partitions": 6}
    may = {"acks_one_may_partitions": 5, "reads_may_partitions": 5, "may_partitions": 7}
    incident = SimpleNamespace(down=[of_topic | may], end_ts=None)
    empty = {name: whole(name, frame(name, "topic")) for name in ("availability", "leader_epochs", "isr_spans")}
    [one], _ = down(empty, incident)
    assert (one.acks_one, one.partitions) == ("15.0 to 17.0 s (at least 4 partitions)", "at least 6")
    assert one.reads == "up to 17.0 s (2 partitions)"
