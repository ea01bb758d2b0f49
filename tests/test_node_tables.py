"""What is made of each node's lines is the same in the driver and inside Spark."""

from __future__ import annotations

from pipelines.node_tables import NODES
from pipelines.store import Store
from replay.facts.runs import FactQuotas
from replay.facts.window import KafkaEvents, TimeWindow
from replay.passes import Input, KeyWalk, in_order, walked
from replay.tables import DECLARED, EVENTS
from tests.facts import test_node_lines as of_processes
from tests.faults import test_node_lines as of_faults
from tests.tables import rows


def test_spark_and_the_driver_make_the_same_of_nodes(spark, tmp_path):
    """With a window, so that every object that makers read goes to Spark's workers."""
    lines = rows(EVENTS, of_faults.LINES)
    window = TimeWindow(since=lines[2].ts, until=lines[-1].ts)
    facts = {
        "fact_quotas": FactQuotas({1: 3, 2: 3}),
        "shared_logs": frozenset({"shared/state.log"}),
        "window": window,
        "kafka_events": KafkaEvents(window),
        "rotation_gaps": (),
    }
    walk = KeyWalk(
        ("node_id",),
        [Input("node_events", EVENTS, ("ts", "source_file", "line_number"))],
        in_order(NODES),
        DECLARED,
        facts,
        has_null_keys=True,
    )
    both = (of_faults.LINES, of_processes.LINES)
    given = [line for text in both for line in rows(EVENTS, text)]
    expected = walk.rows({"node_events": given})
    store = Store(spark, tmp_path / "result", tmp_path / "work")
    store.hold(EVENTS, given)
    made_rows = walked(walk, {"node_events": store.frame("events")})
    store.set_down_made("pass", made_rows, list(walk.tables.values()), (), walk.sums)
    for name, declared in walk.tables.items():
        rows_of_table = list(store.rows_of(name, declared))
        found = walk.merged(name, rows_of_table) if name in walk.sums else rows_of_table
        assert sorted(found, key=repr) == sorted(expected[name], key=repr), name
    made = {name for name, of_it in expected.items() if of_it}
    assert {"facts", "line_runs", "silences", "pause_signs", "written_runs", "nodes_named", "topics_named"} <= made
