"""Messages in, templates and typed fields out: the rules on small catalogues, and the whole catalogue against its own examples."""

from __future__ import annotations

import re
from typing import Any

from replay.catalogue import TEMPLATES, Catalogue, explain_without_prefix, whole_catalogue
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import Template
from replay.reading.matching import Understood, understood
from replay.tables import EVENTS
from tests.tables import same_rows


def template(id: str, text: str, logger: str = "Partition") -> Template:
    return Template(id, f"kind_of_{id}", "INFO", logger, "3.5.2-4.3.1", text, text)


SMALL = (
    template(
        "LEAD",
        "[Broker id={broker_id}] Leader {topic_partition} starts at leader epoch {leader_epoch} with ISR {isr}, high watermark {high_watermark}",
    ),
    template("STOP", "[Broker id={broker_id}] Stopped fetchers for {count} partitions of {reason}"),
    template("STOPPED", "[Broker id={broker_id}] Stopped fetchers"),
    template("STATE", "[Broker id={broker_id}] {state} is the state"),
    template("NODE", "{client_prefix}Node {node_id} disconnected."),
    template("ANY", "{path} exists with value {data}, this is ok"),
    template("ISR", "New state {leader_and_isr} of {topic_partition}"),
    template("FATAL", "{exception}", logger="Kafka|KafkaServer"),
)


def found(*messages: str, templates: tuple[Template, ...] = SMALL, logger: str = "kafka.cluster.Partition"):
    """What templates tell of messages: a row each, with the columns of events."""
    catalogue = Catalogue(templates)
    return [row_of(message, logger, understood(message, logger, catalogue)) for message in messages]


def row_of(message: str, logger: str, told: Understood | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        **dict.fromkeys((*COLUMNS, "template_id", "kind", "details")),
        "message": message,
        "logger": logger,
    }
    if told is None:
        return row
    return row | {"template_id": told.template.id, "kind": told.template.kind, "details": told.details, **told.columns}


def test_a_message_gives_its_template_and_typed_fields():
    same_rows(
        found(
            "[Broker id=2] Leader my-topic-3 starts at leader epoch 8 with ISR [2, 3], high watermark (offset=118 segment=[0:42])",
        ),
        EVENTS,
        """
        template_id | kind         | broker_id | topic    | partition | leader_epoch | isr | high_watermark | leader_id | replicas
        LEAD        | kind_of_LEAD | 2         | my-topic | 3         | 8            | 2,3 | 118            |           |
    """,
    )


def test_columns_have_the_types_of_events():
    types = {field.name: field.dataType.simpleString() for field in EVENTS.schema.fields}
    assert {name: types[name] for name in COLUMNS} == COLUMNS


def test_a_topic_without_an_id_has_none():
    leads = template("LEAD", "Leader {topic_partition} with topic id {topic_id} starts at leader epoch {leader_epoch}")
    same_rows(
        found(
            "Leader orders-0 with topic id None starts at leader epoch 3",
            "Leader orders-0 with topic id AAAAAAAAAAAAAAAAAAAAAA starts at leader epoch 3",
            "Leader orders-0 with topic id Some(X8snIzwvRQ2wDuEVgycxrQ) starts at leader epoch 3",
            templates=(leads,),
        ),
        EVENTS,
        """
        topic  | partition | topic_id               | leader_epoch
        orders | 0         |                        | 3
        orders | 0         |                        | 3
        orders | 0         | X8snIzwvRQ2wDuEVgycxrQ | 3
    """,
    )


def test_what_has_no_column_is_a_detail():
    (row,) = found("[Broker id=2] Stopped fetchers for 12 partitions of orders")
    assert (row["template_id"], row["broker_id"], row["details"]) == ("STOP", 2, {"count": "12", "reason": "orders"})


def test_a_template_without_details_has_none():
    assert found("[Broker id=2] Stopped fetchers")[0]["details"] is None


def test_an_unknown_message_stays_with_nulls():
    for row in found("Snapshot written", ""):
        assert (row["template_id"], row["kind"], row["topic"], row["details"]) == (None, None, None, None)


def test_of_several_that_fit_the_longest_fixed_text_is_meant():
    general, special = template("GEN", "Closing {connection} now"), template("SPEC", "Closing socket {connection} now")
    for templates in ((general, special), (special, general)):
        same_rows(
            found("Closing socket 7 now", "Closing it now", templates=templates),
            EVENTS,
            """
            message              | template_id
            Closing socket 7 now | SPEC
            Closing it now       | GEN
        """,
        )


def test_a_prefix_or_a_first_word_may_be_open():
    given = found(
        "Node 4 disconnected.",
        "[Producer clientId=p-1] Node 4 disconnected.",
        "[AdminClient clientId=a]: Node 5 disconnected.",
        "[Broker id=1] Running is the state",
        "/brokers/ids/1 exists with value {}, this is ok",
    )
    same_rows(
        [row | {"client": (row["details"] or {}).get("client")} for row in given],
        EVENTS,
        """
        message                                         | template_id | broker_id | client:string
        Node 4 disconnected.                            | NODE        |           | ''
        [Producer clientId=p-1] Node 4 disconnected.    | NODE        |           | Producer clientId=p-1
        [AdminClient clientId=a]: Node 5 disconnected.  | NODE        |           | AdminClient clientId=a
        [Broker id=1] Running is the state              | STATE       | 1         |
        /brokers/ids/1 exists with value {}, this is ok | ANY         |           |
    """,
    )


def test_of_an_open_start_and_an_open_word_the_longest_fixed_text_is_meant():
    templates = (
        template("PREFIX", "[Broker id={broker_id}] {what} is handled as {reason}"),
        template("BARE", "{what} is handled as {reason}"),
        template("LONG", "{caller_prefix}{what} is handled as it always was"),
        template("SHORT", "{caller_prefix}{what} always was"),
    )
    given = found(
        "[Broker id=1] It is handled as it always was",
        "[Broker id=1] It is handled as always was",
        "[Broker id=1] It always was",
        "It is handled as it always was",
        "It is handled as always was",
        "It always was",
        "It was",
        "[Log] It is handled as it always was",
        "[Log] It is handled as always was",
        "[Log] It was",
        templates=templates,
    )
    same_rows(
        given,
        EVENTS,
        """
        message                                      | template_id
        [Broker id=1] It is handled as it always was | PREFIX
        [Broker id=1] It is handled as always was    | PREFIX
        [Broker id=1] It always was                  | SHORT
        It is handled as it always was               | LONG
        It is handled as always was                  | BARE
        It always was                                | SHORT
        It was                                       |
        [Log] It is handled as it always was         | LONG
        [Log] It is handled as always was            | SHORT
        [Log] It was                                 |
    """,
    )


def test_a_list_of_brokers_is_read_in_each_sessioning():
    given = found(
        'New state {"leader":1,"leader_epoch":3,"isr":[1,2]} of orders-3',
        "New state LeaderAndIsr(leader=1, leaderEpoch=4, isr=List(1, 2), zkVersion=9) of orders-3",
        "New state LeaderAndIsr(leader=1, leaderEpoch=5, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1), BrokerState(brokerId=2, brokerEpoch=7)), "
        "leaderRecoveryState=RECOVERED, partitionEpoch=10) of orders-3",
        "New state LeaderAndIsr(leader=-1, leaderEpoch=6, isr=List(), zkVersion=11) of orders-3",
    )
    same_rows(
        given,
        EVENTS,
        """
        template_id | topic  | partition | leader_id | leader_epoch | isr | partition_epoch
        ISR         | orders | 3         | 1         | 3            | 1,2 |
        ISR         | orders | 3         | 1         | 4            | 1,2 | 9
        ISR         | orders | 3         | 1         | 5            | 1,2 | 10
        ISR         | orders | 3         | -1        | 6            |     | 11
    """,
    )


def test_a_number_too_large_for_its_column_is_null_and_not_an_error():
    (row,) = found("[Broker id=99999999999] Stopped fetchers")
    assert (row["template_id"], row["broker_id"]) == ("STOPPED", None)


def test_a_message_with_hardly_any_text_is_known_by_its_logger():
    given = found("java.io.IOException: Connection reset", logger="kafka.Kafka$") + found(
        "java.io.IOException: Connection reset", logger="kafka.server.KafkaApis"
    )
    same_rows(
        given,
        EVENTS,
        """
        logger                 | template_id
        kafka.Kafka$           | FATAL
        kafka.server.KafkaApis |
    """,
    )


def test_trailing_blanks_do_not_matter_and_text_after_the_end_does():
    rows = found("Node 4 disconnected. \t", "Node 4 disconnected. Retrying")
    assert {row["message"]: row["template_id"] for row in rows} == {
        "Node 4 disconnected. \t": "NODE",
        "Node 4 disconnected. Retrying": None,
    }


def test_every_example_is_known_by_its_own_template_and_no_other():
    wrong = []
    for template in TEMPLATES:
        told = understood(template.example.split("\n")[0], "kafka." + template.logger.split("|")[0], whole_catalogue())
        if told is None or told.template is not template:
            wrong.append((template.id, told and told.template.id))
    assert wrong == []


def test_every_field_of_every_example_is_a_column_or_a_detail():
    differ = []
    for template in TEMPLATES:
        message = template.example.split("\n")[0]
        told, fields = (
            understood(message, template.logger.split("|")[0], whole_catalogue()),
            template.fields_of(message),
        )
        assert told is not None and fields is not None
        if not template.needs_logger:
            filled = {name for name, text in (told.details or {}).items() if text} | set(told.columns)
            differ += [template.id] if filled != set(fields) else []
            differ += [template.id for name, value in told.columns.items() if value is None]
    assert differ == []


def test_a_message_without_its_prefix_is_known_by_its_text_and_its_logger():
    cut = "Truncating to 4400 has no effect as the largest offset in the log is 4399"
    assert {explain_without_prefix(cut, f"kafka.log.{name}")[0].kind for name in ("Log", "UnifiedLog")} == {
        "log_truncation_noop"
    }
    added = "Added fetcher to broker 2 for partitions Map(clicks-2 -> InitialFetchState(BrokerEndPoint(id=2, host=b:9092),3,8))"
    assert [explain_without_prefix(added, logger)[0].kind for logger in ("ReplicaFetcherManager",)] == [
        "fetcher_partitions_added"
    ]
    assert explain_without_prefix("Resigned", "kafka.controller.KafkaController")[0].kind == "controller_resigned"
    assert explain_without_prefix("Resigned") is None  # too short without its logger


def test_no_message_without_its_prefix_gets_another_kind():
    wrong, known = [], 0
    for template in TEMPLATES:
        cut = re.sub(r"^\[[^\[\]]*\][:,]* +", "", template.example)
        found = explain_without_prefix(cut, template.logger.split("|")[0]) if template.text.startswith("[") else None
        known += found is not None
        if found is not None and found[0].kind != template.kind:
            wrong.append((template.id, found[0].id))
    assert wrong == [] and known > 2_000
