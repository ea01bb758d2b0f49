"""Which Kafka a node runs."""

from __future__ import annotations

import pytest

from replay.catalogue import TEMPLATES
from replay.facts.releases import NEWEST, before_version, releases, version_number
from replay.tables.brokers import RELEASES, NodeWordings
from tests import heard
from tests.tables import facts, same, same_rows, table


def releases_of(text: str):
    told = facts(text)
    return releases(heard.wordings(told), told)


@pytest.mark.parametrize(
    ("text", "number"),
    [("3.9.1", 30_901), ("0.11.0.3", 1_100), ("4.0-dev", 39_999), ("4.0.1", 40_001), ("2.8", 20_800)],
)
def test_releases_as_numbers_can_be_compared(text, number):
    assert version_number(text) == number


def test_releases_are_in_their_order():
    releases = ["0.10.2.2", "0.11.0.3", "1.0.2", "2.8.2", "3.0.2", "3.9.1", "4.0-dev", "4.0.1", "4.3.1"]
    assert sorted(releases, key=version_number) == releases


def test_no_lines_no_versions():
    assert releases_of("ts") == []


def test_a_node_says_its_version_at_its_start():
    found = releases_of("""
        node_id | kind            | template_id | details
        1       | process_version | any         | kafka_version=2.3.1
        2       | process_version | any         | kafka_version=4.1.1-SNAPSHOT
        2       | isr_shrink      | any         |                              """)
    same_rows(
        found,
        RELEASES,
        """
        node_id | version_low | version_high
        1       | 20301       | 20301
        2       | 40101       | 40101        """,
    )


def test_a_node_that_was_upgraded_ran_both():
    found = releases_of("""
        node_id | kind            | template_id | details
        1       | process_version | any         | kafka_version=3.9.1
        1       | process_version | any         | kafka_version=4.1.1 """)
    same_rows(
        found,
        RELEASES,
        """
        node_id | version_low | version_high
        1       | 30901       | 40101        """,
    )


def test_else_its_wordings_leave_a_range():
    seen = {t.seen: t.id for t in TEMPLATES}
    assert "1.0.2-2.1.1" in seen and "1.0.2-2.7.2" in seen
    found = releases_of(f"""
        node_id | kind | template_id
        1       | any  | {seen["1.0.2-2.1.1"]}
        1       | any  | {seen["1.0.2-2.7.2"]}
        2       | any  | nobody-knows          """)
    same_rows(
        found,
        RELEASES,
        f"""
        node_id | version_low | version_high
        1       | 10002       | 20101
        2       | 0           | {NEWEST}     """,
    )


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        pytest.param("ZKE-001", [], id="a ZooKeeper server, whose wordings have releases of ZooKeeper"),
        pytest.param("ZKE-001 JVM", [], id="any Java process can run out of memory"),
        pytest.param("ZKE-001 KAFKA", [(1_00_02, 2_01_01)], id="a broker whose file a ZooKeeper server writes to"),
        pytest.param("ZKE-001 STATED", [(1_00_02, 1_00_02)], id="a broker that prints its release at its start"),
        pytest.param("JVM", [(8_02, NEWEST)], id="without a line of ZooKeeper it may be Kafka"),
    ],
)
def test_a_zookeeper_server_runs_no_release_of_kafka(lines, told):
    ids = {
        "KAFKA": next(template.id for template in TEMPLATES if template.seen == "1.0.2-2.1.1"),
        "JVM": "JVM-001",
    }
    wordings = [NodeWordings(node_id=7, template_ids=[ids.get(name, name) for name in lines.split()])]
    said = "7 | process_version | any | kafka_version=1.0.2" if "STATED" in lines else ""
    stated = facts(f"node_id | kind | template_id | details\n{said}")
    assert [(row.version_low, row.version_high) for row in releases(wordings, stated)] == told


def test_a_node_is_before_a_release_only_if_it_surely_is(spark):
    versions = table(
        spark,
        RELEASES,
        """
        node_id | version_low | version_high
        1       | 20301       | 20301
        2       | 20301       | 20801
        3       | 0           | 99999        """,
    )
    same(
        versions.select("node_id", before_version("2.4.0").alias("older")),
        "node_id int, older boolean",
        """
        node_id | older
        1       | true
        2       | false
        3       | false """,
    )
