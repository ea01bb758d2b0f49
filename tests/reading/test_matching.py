"""Messages in, templates and typed fields out: the rules on small catalogues, and the whole catalogue against its own examples."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import functions as F

from replay.catalogue import TEMPLATES, explain
from replay.catalogue.fields import COLUMNS
from replay.catalogue.template import Template
from replay.reading.matching import with_template
from replay.tables import EVENTS
from tests.tables import same

RECORDS = "message string, logger string"


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


def records(spark, *messages: str, logger: str = "kafka.cluster.Partition"):
    return spark.createDataFrame(
        pa.table(
            {"message": pa.array(messages, pa.string()), "logger": pa.array([logger] * len(messages), pa.string())}
        ),
        RECORDS,
    )


@pytest.fixture(scope="module")
def examples(spark):
    """Each template's example, through the whole catalogue in one go."""
    rows = [(t.id, t.kind, t.example.split("\n")[0], "kafka." + t.logger.split("|")[0]) for t in TEMPLATES]
    columns = dict(zip(("own_id", "own_kind", "message", "logger"), zip(*rows, strict=True), strict=True))
    given = spark.createDataFrame(pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}))
    return with_template(given, TEMPLATES).collect()


def test_a_message_gives_its_template_and_typed_fields(spark):
    found = with_template(
        records(
            spark,
            "[Broker id=2] Leader my-topic-3 starts at leader epoch 8 with ISR [2, 3], high watermark (offset=118 segment=[0:42])",
        ),
        SMALL,
    )
    same(
        found,
        EVENTS,
        """
        template_id | kind         | broker_id | topic    | partition | leader_epoch | isr | high_watermark | leader_id | replicas
        LEAD        | kind_of_LEAD | 2         | my-topic | 3         | 8            | 2,3 | 118            |           |
    """,
    )


def test_columns_have_the_types_of_events(spark):
    types = {field.name: field.dataType.simpleString() for field in EVENTS.schema.fields}
    found = dict(with_template(records(spark), SMALL).dtypes)
    filled = (*COLUMNS, "kind", "template_id", "details")
    assert {name: found[name] for name in filled} == {name: types[name] for name in filled}


def test_what_has_no_column_is_a_detail(spark):
    found = with_template(records(spark, "[Broker id=2] Stopped fetchers for 12 partitions of orders"), SMALL).first()
    assert (found.template_id, found.broker_id, found.details) == ("STOP", 2, {"count": "12", "reason": "orders"})


def test_a_template_without_details_has_none(spark):
    assert with_template(records(spark, "[Broker id=2] Stopped fetchers"), SMALL).first().details is None


def test_an_unknown_message_stays_with_nulls(spark):
    found = with_template(records(spark, "Snapshot written", "", None), SMALL).collect()
    assert len(found) == 3
    assert {(r.template_id, r.kind, r.topic, r.details) for r in found} == {(None, None, None, None)}


def test_every_row_is_kept_as_often_as_it_was_given(spark):
    given = records(spark, *["[Broker id=2] Stopped fetchers"] * 3, *["unknown"] * 2)
    assert sorted((r.message, r.template_id) for r in with_template(given, SMALL).collect()) == [
        *[("[Broker id=2] Stopped fetchers", "STOPPED")] * 3,
        *[("unknown", None)] * 2,
    ]


def test_of_several_that_fit_the_longest_fixed_text_is_meant(spark):
    general, special = template("GEN", "Closing {connection} now"), template("SPEC", "Closing socket {connection} now")
    for templates in ((general, special), (special, general)):
        same(
            with_template(records(spark, "Closing socket 7 now", "Closing it now"), templates),
            EVENTS,
            """
            message              | template_id
            Closing socket 7 now | SPEC
            Closing it now       | GEN
        """,
        )


def test_a_prefix_or_a_first_word_may_be_open(spark):
    given = records(
        spark,
        "Node 4 disconnected.",
        "[Producer clientId=p-1] Node 4 disconnected.",
        "[AdminClient clientId=a]: Node 5 disconnected.",
        "[Broker id=1] Running is the state",
        "/brokers/ids/1 exists with value {}, this is ok",
    )
    same(
        with_template(given, SMALL).withColumn("client", F.col("details")["client"]),
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


def test_of_an_open_start_and_an_open_word_the_longest_fixed_text_is_meant(spark):
    templates = (
        template("PREFIX", "[Broker id={broker_id}] {what} is handled as {reason}"),
        template("BARE", "{what} is handled as {reason}"),
        template("LONG", "{caller_prefix}{what} is handled as it always was"),
        template("SHORT", "{caller_prefix}{what} always was"),
    )
    given = records(
        spark,
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
    )
    same(
        with_template(given, templates),
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


def test_a_list_of_brokers_is_read_in_each_spelling(spark):
    given = records(
        spark,
        'New state {"leader":1,"leader_epoch":3,"isr":[1,2]} of orders-3',
        "New state LeaderAndIsr(leader=1, leaderEpoch=4, isr=List(1, 2), zkVersion=9) of orders-3",
        "New state LeaderAndIsr(leader=1, leaderEpoch=5, isrWithBrokerEpoch=List(BrokerState(brokerId=1, brokerEpoch=-1), BrokerState(brokerId=2, brokerEpoch=7)), "
        "leaderRecoveryState=RECOVERED, partitionEpoch=10) of orders-3",
        "New state LeaderAndIsr(leader=-1, leaderEpoch=6, isr=List(), zkVersion=11) of orders-3",
    )
    same(
        with_template(given, SMALL),
        EVENTS,
        """
        template_id | topic  | partition | leader_id | leader_epoch | isr | partition_epoch
        ISR         | orders | 3         | 1         | 3            | 1,2 |
        ISR         | orders | 3         | 1         | 4            | 1,2 | 9
        ISR         | orders | 3         | 1         | 5            | 1,2 | 10
        ISR         | orders | 3         | -1        | 6            |     | 11
    """,
    )


def test_a_number_too_large_for_its_column_is_null_and_not_an_error(spark):
    found = with_template(records(spark, "[Broker id=99999999999] Stopped fetchers"), SMALL).first()
    assert (found.template_id, found.broker_id) == ("STOPPED", None)


def test_a_message_with_hardly_any_text_is_known_by_its_logger(spark):
    given = records(spark, "java.io.IOException: Connection reset", logger="kafka.Kafka$").union(
        records(spark, "java.io.IOException: Connection reset", logger="kafka.server.KafkaApis")
    )
    same(
        with_template(given, SMALL),
        EVENTS,
        """
        logger                 | template_id
        kafka.Kafka$           | FATAL
        kafka.server.KafkaApis |
    """,
    )


def test_trailing_blanks_do_not_matter_and_text_after_the_end_does(spark):
    found = with_template(records(spark, "Node 4 disconnected. \t", "Node 4 disconnected. Retrying"), SMALL).collect()
    assert {row.message: row.template_id for row in found} == {
        "Node 4 disconnected. \t": "NODE",
        "Node 4 disconnected. Retrying": None,
    }


def plan_of(frame) -> str:
    return frame._sc._jvm.PythonSQLUtils.explainString(frame._jdf.queryExecution(), "simple")


def test_the_sort_that_keeps_a_group_together_outlives_an_aggregation_and_a_join(spark):
    found = with_template(records(spark, "Node 4 disconnected.", "unknown"), SMALL)
    assert "Sort [" in plan_of(found.groupBy("template_id").count()), (
        "without it an expression is compiled for each row"
    )
    assert "Sort [" in plan_of(found.select("message", "topic").join(records(spark, "unknown"), "message"))


def test_a_filter_on_what_was_found_does_not_match_again(spark):
    known = with_template(records(spark, "Node 4 disconnected.", "unknown"), SMALL).where(
        "kind is not null and broker_id = 1"
    )
    filters = [line for line in plan_of(known).splitlines() if "Filter" in line]
    assert filters and not any("regexp_replace" in line for line in filters)


def test_every_example_is_known_by_its_own_template_and_no_other(examples):
    assert [(r.own_id, r.template_id) for r in examples if r.template_id != r.own_id] == []
    assert [(r.own_kind, r.kind) for r in examples if r.kind != r.own_kind] == []
    assert len(examples) == len(TEMPLATES)


def test_spark_reads_of_every_example_what_the_template_reads(examples):
    differ = []
    for row in examples:
        told = explain(row.message, row.logger)
        assert told is not None
        found, fields = told
        if found.needs_logger:
            continue
        texts = {name: value for name, value in fields.items() if name not in COLUMNS}
        details = {name: value for name, value in (row.details or {}).items() if value}
        columns = {name: value for name, value in fields.items() if name in COLUMNS and row[name] is None}
        if details != texts or columns:
            differ.append((row.own_id, details, texts, columns))
    assert differ == []
