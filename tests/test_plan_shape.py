"""A small run is bounded by how much Spark is given to plan (docs/performance.md): it must not grow unseen."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.plan_shape import TRACE, shape, shapes
from pipelines.inputs import gather
from pipelines.reading import records_of

# What `python -m benchmarks.plan_shape` prints, and a twentieth. Who adds a rule may raise them, and knows the price.
_MOST = {"jobs": 8, "scans": 20, "shuffles": 12, "joins": 12, "windows": 17, "operators": 191}


@pytest.fixture(scope="module")
def of_run(spark, tmp_path_factory) -> tuple[dict[str, Counter[str]], int]:
    return shapes(spark, TRACE, tmp_path_factory.mktemp("run"))


def test_a_run_gives_spark_no_more_to_do_than_it_did(of_run):
    of_tables, jobs = of_run
    found = sum(of_tables.values(), Counter({"jobs": jobs}))
    assert {name: found[name] for name, most in _MOST.items() if not 0 < found[name] <= most} == {}


def test_a_small_input_is_read_without_spark(of_run):
    assert not {"read", "printed", "records", "events"} & of_run[0].keys()


def test_a_large_input_is_read_once_for_all_that_its_lines_tell(spark, tmp_path):
    """Texts go through Python once, and nothing is put together afterwards."""
    printed = shape(records_of(spark, gather([str(TRACE)], {}, tmp_path), tmp_path))
    assert (printed["scans"], printed["shuffles"], printed["joins"], printed["windows"]) == (1, 0, 0, 0)
