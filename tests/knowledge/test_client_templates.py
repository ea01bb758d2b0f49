"""What clients, Kafka Connect and Kafka Streams print at INFO: each wording by its own template, of one kind, and told as a step or as a sign."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from pipelines.answers.lines import of_text
from replay.catalogue import TEMPLATES, clients_catalogue, explain, explain_of_client
from replay.catalogue.client_kinds import CLIENT_KINDS
from replay.knowledge.choosing import wording_of
from replay.knowledge.text_lines import Line, lines_of, matched_line

OF_CLIENTS = clients_catalogue().templates
# Every other wording is a step, and no fault.
SIGNS = {
    "client-group-left": ["CLI-004", "CLI-064", "CLI-065", "CLI-067"],
    "client-not-in-group": ["CLI-062"],
    "client-out-of-range": ["CLI-087"],
    "client-transaction-failed": ["CLI-129", "CLI-130"],
    "connect-config-differs": ["CNN-041"],
}


def _line(template) -> Line:
    room = {"CLI": "clients.consumer.internals", "STR": "streams"}.get(template.id[:3], "connect.runtime")
    logger = f"org.apache.kafka.{room}.{template.logger.split('|')[0]}"
    return matched_line(Line("client.log", 1, None, "INFO", logger, template.example))


def test_every_example_is_known_by_its_own_template_alone():
    wrong = {}
    for template in OF_CLIENTS:
        found = explain_of_client(template.example, template.logger.split("|")[0])
        if found is None or found[0] is not template or explain(template.example, template.logger) is not None:
            wrong[template.id] = found and found[0].id
    assert wrong == {}


def test_ids_and_kinds_are_sound():
    ids = Counter(template.id for template in (*OF_CLIENTS, *TEMPLATES))
    assert [name for name, count in ids.items() if count > 1] == []
    assert {template.kind for template in OF_CLIENTS} == CLIENT_KINDS.keys()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+(?:-\d+\.\d+\.\d+)?", template.seen) for template in OF_CLIENTS)


def test_a_text_of_a_class_is_not_taken_from_another_logger():
    wording = "Shutting down"
    assert explain_of_client(wording, "org.apache.kafka.streams.processor.internals.StreamThread") is not None
    assert explain_of_client(wording, "kafka.server.BrokerServer") is None
    assert explain_of_client(wording) is None  # too little text to be known without its logger


def test_each_wording_means_what_the_table_says():
    told = defaultdict(list)
    for template in OF_CLIENTS:
        line = _line(template)
        assert line.template == template.id
        if (found := wording_of(line)) is not None:
            told[found[0].key].append(template.id)
    assert dict(told) == SIGNS


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "2021-06-01 12:00:04.135  INFO 1 --- [ntainer#0-0-C-1] o.a.k.c.c.internals.ConsumerCoordinator  : [Consumer clientId=c-1, groupId=g] Adding newly assigned partitions: orders-0",
            "Client c-1 got partitions: orders-0.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO [sink|task-0] [Consumer clientId=c-2, groupId=g] Resetting offset for partition orders-0 to offset 12. (org.apache.kafka.clients.consumer.internals.SubscriptionState:398)",
            "Client c-2 begins to read orders-0 at offset 12.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO stream-thread [app-StreamThread-1] State transition from RUNNING to PARTITIONS_REVOKED (org.apache.kafka.streams.processor.internals.StreamThread)",
            "Kafka Streams goes from RUNNING to PARTITIONS_REVOKED.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO [Worker clientId=connect-1, groupId=g] Herder started (org.apache.kafka.connect.runtime.distributed.DistributedHerder:324)",
            "Kafka Connect: 'Herder started'.",
        ),
    ],
)
def test_a_quiet_line_of_a_client_is_reported(line, says):
    answer = of_text(line)
    assert [event.says for event in answer.events] == [says]
    assert answer.summary.startswith("No fault found")


def test_a_stream_thread_that_fails_is_a_sign_at_info_too():
    text = "[2023-05-01 10:00:00,000] INFO stream-client [app-1] State transition from RUNNING to ERROR (org.apache.kafka.streams.KafkaStreams)"
    (line,) = lines_of(text, "app.log")
    found = wording_of(line)
    assert found is not None and found[0].key == "streams-thread-died"
