"""The contracts of the tables: what `of` and `filled` let through, and what is said of every column."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import AnalysisException

from pipelines.cli import REFERENCE_PAGES
from pipelines.docs import REFERENCE, pages
from replay.errors import SchemaError
from replay.tables import TABLES
from replay.tables.reading import PRINTED
from replay.tables.row import Row
from replay.tables.table import column, row, table_of
from tests.each import for_each
from tests.tables import same, table


@row("held", key=("holder",))
class Held(Row):
    """One thing held."""

    holder: str = column("Who.")
    count: int = column("How many.")


HELD = table_of(Held)
ALL = [PRINTED, *TABLES]

# What users, notebooks and other programs rely on: columns may be added, none may go or change its type.
PROMISED = {
    "coverage": "node_id int, source_file string, layout string, log_records bigint, matched bigint, unmatched bigint, first_ts timestamp, last_ts timestamp",
    "events": "event_id string, ts timestamp, raw_ts timestamp, node_id int, source_file string, line_number bigint, level string, logger string, kind string, "
    "template_id string, topic string, partition int, broker_id int, leader_id int, leader_epoch int, partition_epoch int, controller_id int, controller_epoch int, "
    "isr array<int>, replicas array<int>, high_watermark bigint, log_end_offset bigint, epoch_start_offset bigint, truncation_offset bigint, message string",
    "unmatched": "normalized string, logger string, level string, foreign boolean, count bigint, first_ts timestamp, last_ts timestamp, example string",
    "leader_epochs": "topic string, partition int, leader_epoch int, leader_id int, epoch_start_offset bigint, start_ts timestamp, end_ts timestamp, "
    "elected_from string, reason string, confidence string, evidence array<string>",
    "isr_spans": "topic string, partition int, leader_epoch int, partition_epoch int, leader_id int, isr array<int>, start_ts timestamp, end_ts timestamp, "
    "confidence string, evidence array<string>",
    "elections": "topic string, partition int, leader_epoch int, ts timestamp, old_leader_id int, new_leader_id int, elected_from string, trigger string, "
    "evidence array<string>",
    "high_watermarks": "topic string, partition int, node_id int, ts timestamp, high_watermark bigint, log_end_offset bigint, log_start_offset bigint, "
    "source string, evidence array<string>",
    "commit_bands": "topic string, partition int, start_ts timestamp, end_ts timestamp, committed_low bigint, committed_high bigint",
    "truncations": "topic string, partition int, node_id int, ts timestamp, leader_epoch int, log_end_offset bigint, truncation_offset bigint, evidence array<string>",
    "losses": "topic string, partition int, leader_epoch int, ts timestamp, loss_class string, verdict string, from_offset bigint, to_offset_low bigint, "
    "to_offset_high bigint, premise string, evidence array<string>",
    "findings": "finding_id string, incident_id string, code string, role string, severity string, title string, summary string, start_ts timestamp, "
    "end_ts timestamp, broker_ids array<int>, partitions array<string>, confidence double, evidence array<string>",
    "incidents": "incident_id string, start_ts timestamp, end_ts timestamp, title string, root_finding_id string",
    "vertices": "id string",
    "edges": "src string, dst string, relation string, because string, confidence double, delay_ms bigint",
    "clock_offsets": "node_id int, start_ts timestamp, end_ts timestamp, offset_low_ms double, offset_high_ms double",
    "broker_sessions": "broker_id int, broker_epoch bigint, start_ts timestamp, end_ts timestamp, ended_by string",
    "violations": "invariant string, topic string, partition int, severity string, verdict string, detail string, evidence array<string>",
}


def test_of_keeps_the_columns_of_the_table_in_its_order(spark):
    rows = table(
        spark,
        HELD,
        """
        count | holder | note:string
        2     | ada    | spare       """,
    )
    kept = HELD.of(rows)
    assert kept.columns == ["holder", "count"]
    same(
        kept,
        HELD,
        """
        holder | count
        ada    | 2     """,
    )


def test_of_names_what_is_missing(spark):
    with pytest.raises(SchemaError, match="held lacks count"):
        HELD.of(table(spark, "holder string", "holder\n ada"))


def test_of_refuses_another_type(spark):
    with pytest.raises(AnalysisException, match="INVALID_COLUMN_OR_FIELD_DATA_TYPE"):
        HELD.of(table(spark, "holder string, count string", "holder | count\n ada | 2"))


def test_filled_makes_up_nulls_for_what_is_missing(spark):
    same(
        HELD.rows(table(spark, "holder string", "holder\n ada")),
        HELD,
        """
        holder | count
        ada    |       """,
    )


def test_an_empty_table_fits_its_own_contract(spark):
    for contract in ALL:
        assert contract.of(contract.empty(spark)).schema == contract.schema


@for_each("contract", ALL, ids=lambda t: t.name)
def test_every_table_says_what_a_row_a_key_and_a_column_is(contract):
    names = [c.name for c in contract.columns]
    assert contract.row.endswith(".")
    assert contract.key and set(contract.key) <= set(names)
    assert len(names) == len(set(names))
    assert all(c.meaning.strip() for c in contract.columns)


@for_each("contract", ALL, ids=lambda t: t.name)
def test_columns_speak_the_words_of_kafka(contract):
    names = {c.name for c in contract.columns}
    assert not names & {"epoch", "offset", "fenced", "leader", "hw", "leo"}


def test_what_is_promised_is_there_with_its_type():
    tables = {t.name: {c.name: c.type.simpleString() for c in t.columns} for t in TABLES}
    for name, columns in PROMISED.items():
        promised = dict(part.split(" ", 1) for part in columns.split(", "))
        assert promised.items() <= tables[name].items(), name


def test_the_pages_in_docs_are_those_of_the_code():
    folder = Path(__file__).parent.parent / "docs"
    for name, text in pages().items():
        assert (folder / name).read_text(encoding="utf-8") == text, (
            f"docs/{name} is not what the code says: run `python -m pipelines.docs`"
        )


def test_each_reference_page_can_be_printed_and_has_a_row_for_each_of_its_things():
    assert sorted(REFERENCE) == sorted(REFERENCE_PAGES)
    texts = {name: page() for name, page in REFERENCE.items()}
    assert all(f"`{code}`" in texts["codes"] for code in ("F01", "R4", "S1", "I1"))
    assert all(f"## {table.name}" in texts["tables"] for table in TABLES)
    assert "KAFKA-6292" in texts["known-issues"] and "leader_epochs" in texts["stages"]
