"""All stages run on a session of Spark Connect, which has no JVM at hand and takes no plan that is nested too deep; GraphFrames, which needs its classes on the server, aside."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from tests.golden import COLUMNS, TRACES

TRACE = TRACES / "kip101-without-epochs-zk-2.3.1"


def test_a_connect_session_comes_to_the_same_tables(tmp_path):
    """In a process of its own: one that has a session of the other kind cannot have one of these."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.test_connect", str(TRACE / "input"), str(tmp_path)],
        env=os.environ | {"SPARK_REMOTE": "local[2]", "SPARK_LOCAL_IP": "127.0.0.1"},
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    for name in COLUMNS:
        assert (tmp_path / f"{name}.csv").read_text(encoding="utf-8") == (TRACE / "expected" / f"{name}.csv").read_text(
            encoding="utf-8"
        ), name


def _main(given: Path, told: Path) -> None:
    """The stages over `given` on a Connect session; the golden tables as CSV into `told`."""
    from pyspark.sql import DataFrame, SparkSession

    from pipelines.incident import Zones, parsed, replayed
    from pipelines.inputs import gather
    from pipelines.session import session
    from pipelines.store import Store
    from replay.causes import graph
    from replay.tables.causes import RIVALS
    from tests.conftest import _SMALL
    from tests.golden import golden

    SparkSession.builder.remote("local[2]").getOrCreate()
    spark = session()
    assert "connect" in type(spark).__module__
    for key, value in ({"spark.sql.session.timeZone": "UTC"} | _SMALL).items():
        spark.conf.set(key, value)

    def roots_told(state: DataFrame, happenings: DataFrame, edges: DataFrame) -> DataFrame:
        """`replay.causes.graph.roots_told` without GraphFrames, to its end at once: a walk from each vertex that has no cause."""
        effects = defaultdict(set)
        for edge in graph.accepted(edges).collect():
            effects[edge.src].add(edge.dst)
        caused, known = set().union(*effects.values()), defaultdict(list)
        ids = [row.id for row in happenings.select("id").collect()]
        for root in ids:
            distances = {} if root in caused else {root: 0}
            for id_ in (walked := list(distances)):
                for effect in effects[id_] - distances.keys():
                    distances[effect] = distances[id_] + 1
                    walked.append(effect)
            for id_, distance in distances.items():
                known[id_].append((root, distance))
        rows = [(id_, known[id_], []) for id_ in ids]
        return spark.createDataFrame(rows, state.schema)

    graph.roots_told = roots_told
    graph.rivals = lambda happenings, edges: RIVALS.empty(spark)
    with tempfile.TemporaryDirectory() as work:
        inputs = gather([given], {}, Path(work))
        store = Store(spark, told / "result", Path(work))
        replayed(spark, parsed(spark, inputs, Path(work), store, Zones(), lambda step: None), store, lambda step: None)
    for name, text in golden(told / "result").items():
        (told / f"{name}.csv").write_text(text, encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Path(sys.argv[2]))
