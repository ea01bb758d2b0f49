"""What lines mean, asked in SQL."""

from __future__ import annotations

from pipelines import kafka_explain

HEAD = "[2026-11-21 05:38:34,080]"
SHRINK = (
    f"{HEAD} INFO [Partition orders-0 broker=1] Shrinking ISR from 1,2,3 to 1. Leader: (highWatermark: 10, endOffset: 12). "
    "Out of sync replicas: (brokerId: 2, endOffset: 10) (brokerId: 3, endOffset: 10). (kafka.cluster.Partition)"
)
FULL_DISK = (
    f"{HEAD} ERROR Error while writing to checkpoint file /data/replication-offset-checkpoint "
    "(kafka.server.LogDirFailureChannel)\njava.io.IOException: No space left on device\n\tat java.io.Foo.write(Foo.java:1)"
)
STARTED = f"{HEAD} INFO [KafkaServer id=1] started (kafka.server.KafkaServer)"
OF_ANOTHER = f"{HEAD} INFO Copied 7 rows (com.example.Copier)"


def test_sql_explains_the_lines_of_a_table(spark):
    kafka_explain.register(spark)
    lines = [
        (1, SHRINK),
        (2, FULL_DISK),
        (3, STARTED),
        (4, OF_ANOTHER),
        (5, ""),
        (6, None),
        (7, f"{STARTED}\n{SHRINK}"),
    ]
    spark.createDataFrame(lines, "id int, line string").createOrReplaceTempView("raw_logs")
    rows = spark.sql(
        "select id, told.* from raw_logs, lateral kafka_explain(line) as told order by id, template_id desc"
    ).collect()
    known = [(row.id, row.template_id, row.kind) for row in rows]
    shrink, started = ("PRT-031", "isr_shrink"), ("SRV-048", "broker_started")
    assert known == [
        (1, *shrink),
        (2, "RPM-219", "log_dir_failed"),
        (3, *started),
        (4, None, None),
        (5, None, None),
        (6, None, None),
        (7, *started),
        (7, *shrink),
    ]
    meanings = [row.meaning for row in rows]
    assert "Broker 1 began to remove brokers 2 and 3 from the ISR of orders-0" in meanings[0]
    assert meanings[1] == "The broker of this line had an error on /data and takes the directory offline."
    assert meanings[2] == "Broker 1 has started."
    assert meanings[3:6] == [None] * 3 and meanings[6:] == [meanings[2], meanings[0]]


def test_a_column_of_lines_is_explained_in_sql(spark):
    kafka_explain.register(spark)
    lines = [(1, SHRINK), (2, f"{STARTED}\n{SHRINK}"), (3, OF_ANOTHER), (4, ""), (5, None)]
    spark.createDataFrame(lines, "id int, line string").createOrReplaceTempView("raw_logs")
    rows = spark.sql("select id, kafka_meaning(line) as told from raw_logs order by id").collect()
    assert [row.told and row.told.kind for row in rows] == ["isr_shrink", "broker_started", None, None, None]
    assert rows[1].told.meaning == "Broker 1 has started." and rows[1].told.template_id == "SRV-048"
    assert [row.told for row in rows[3:]] == [None, None]


def test_one_line_is_explained_without_a_table(spark):
    kafka_explain.register(spark)
    (row,) = spark.sql("select * from kafka_explain('Shrinking ISR from 1,2 to 1')").collect()
    assert "from the ISR" in row.meaning


PACK = """
[copier-copied]
on.text = 'Copied (?P<rows>\\d{1,9}) rows'
on.quiet = true
weight = "harmless"
owner = "nobody"
says = "The copier copied {rows} rows."
next = "No action is needed."
example = "INFO Copied 7 rows (com.example.Copier)"
"""


def test_a_pack_adds_to_what_sql_explains(spark, tmp_path):
    file = tmp_path / "copier.toml"
    file.write_text(PACK, encoding="utf-8")
    spark.createDataFrame([(OF_ANOTHER,), (STARTED,)], "line string").createOrReplaceTempView("raw_logs")
    both = (
        "select told.meaning, kafka_meaning(line).meaning as first from raw_logs, lateral kafka_explain(line) as told"
    )

    kafka_explain.register(spark, [file])
    meanings = {"The copier copied 7 rows.", "Broker 1 has started."}
    assert {row.meaning for row in spark.sql(both).collect()} == meanings
    assert {row.first for row in spark.sql(both).collect()} == meanings

    kafka_explain.register(spark)
    assert {row.meaning for row in spark.sql(both).collect()} == {None, "Broker 1 has started."}
