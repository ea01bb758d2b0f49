"""What a Python worker of Spark does before it runs this program's functions."""

from __future__ import annotations

import gc
import sys

from replay.garbage import RARELY
from replay.worker import prepare_worker


def test_a_worker_looks_for_no_module_in_the_jars_of_spark(monkeypatch):
    monkeypatch.setattr(sys, "path", ["/spark/python", "/spark/jars/spark-core.jar", "/app", "/app/graphs.jar"])
    monkeypatch.setattr(sys, "path_importer_cache", dict.fromkeys(["/app", "/app/graphs.jar"]))
    before = gc.get_threshold()
    try:
        prepare_worker()
        assert (sys.path, [*sys.path_importer_cache]) == (["/spark/python", "/app"], ["/app"])
        assert gc.get_threshold() == RARELY
    finally:
        gc.set_threshold(*before)
