"""Quiet lines as sentences: a kind's sentence fits every wording of the kind, and a line of another kind is quoted."""

from __future__ import annotations

from pipelines.answers.lines import of_text
from replay.catalogue import TEMPLATES
from replay.knowledge.code_tables import rows_of
from tests.each import for_each

STEPS = {row.text for row in rows_of("steps")}
QUIET = [template for template in TEMPLATES if template.level == "INFO"]


def _narrated(template) -> list[str]:
    line = f"[2024-05-05 05:05:05,505] INFO {template.example} (kafka.server.{template.logger})"
    return [event.says for event in of_text(line).events]


@for_each("nth", range(8))
def test_a_sentence_gets_its_values_from_every_wording_of_its_kind(nth):
    whole = [template for template in QUIET[nth::8] if template.kind in STEPS and "…" not in template.example]
    told = [(template.id, text) for template in whole for text in _narrated(template)]
    assert [one for one in told if "…" in one[1] and "'" not in one[1]] == []


def test_a_line_of_a_kind_without_a_sentence_is_quoted():
    line = (
        "[2022-05-19 07:20:11,004] INFO [GroupCoordinator 2]: Group payments with generation 312 is now empty "
        "(__consumer_offsets-17) (kafka.coordinator.group.GroupCoordinator)"
    )
    assert [event.says for event in of_text(line).events] == [
        "Broker 2: 'Group payments with generation 312 is now empty (__consumer_offsets-17)'."
    ]


def test_sets_are_printed_as_their_members_and_one_partition_as_one():
    change = (
        "[2022-05-19 07:20:11,004] INFO [Controller id=1] New topics: [Set(clicks)], deleted topics: [HashSet()], new partition "
        "replica assignment [Map(clicks-0 -> List(2, 1, 3))] (kafka.controller.KafkaController)"
    )
    leads = "[2022-05-19 07:20:11,004] INFO [Broker id=1] Transitioning 1 partition(s) to local leaders. (state.change.logger)"
    assert [event.says for event in of_text(f"{change}\n{leads}").events] == [
        "Controller 1 sees new topics (clicks) and deleted topics (none).",
        "Broker 1 becomes the leader of 1 partition.",
    ]


def test_a_position_is_printed_as_its_offset():
    line = (
        "[2024-08-01 08:00:00,090] INFO [Consumer clientId=c-1, groupId=g] Resetting offset for partition t-2 to position "
        "FetchPosition{offset=91002, offsetEpoch=Optional.empty, currentLeader=LeaderAndEpoch{leader=Optional[b1:9092 (id: 1 "
        "rack: null)], epoch=7}}. (org.apache.kafka.clients.consumer.internals.SubscriptionState)"
    )
    assert [event.says for event in of_text(line).events] == ["Client c-1 begins to read t-2 at offset 91002."]


def test_the_end_of_a_zookeeper_session_names_no_broker_and_no_cause_that_its_line_does_not():
    """The server prints the second line for a session that its client closed and for one that it expired."""
    server = "(org.apache.zookeeper.server.ZooKeeperServer)"
    lines = (
        f"[2026-11-21 05:34:41,986] INFO Expiring session 0x1000a, timeout of 18000ms exceeded {server}\n"
        "[2026-11-21 05:34:41,987] INFO Processed session termination for sessionid: 0x1000a "
        "(org.apache.zookeeper.server.PrepRequestProcessor)"
    )
    assert [event.says for event in of_text(lines).events] == [
        "ZooKeeper expired session 0x1000a: no ping came within 18000 ms. The line does not name the broker or client that held it.",
        "ZooKeeper ended session 0x1000a: its client closed it, or it had expired.",
    ]
