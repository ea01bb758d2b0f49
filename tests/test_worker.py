"""What a Python worker of Spark does before it runs this program's functions."""

from __future__ import annotations

import gc
import importlib
import sys
import zipfile
from zipimport import zipimporter

from replay.garbage import RARELY
from replay.worker import prepare_worker


def test_a_worker_reads_the_directories_of_archives_no_more_and_can_import_from_them(monkeypatch, tmp_path):
    for name in ("modules.zip", "spark-core.jar"):
        with zipfile.ZipFile(tmp_path / name, "w") as out:
            for module in ("first_of_archive", "second_of_archive"):
                out.writestr(f"{module}.py", f"told = {name!r}")
    left = [str(tmp_path / "modules.zip"), *sys.path]
    monkeypatch.setattr(sys, "path", [str(tmp_path / "spark-core.jar"), *left])
    before = gc.get_threshold()
    try:
        assert importlib.import_module("first_of_archive").told == "spark-core.jar"
        prepare_worker()
        assert sys.path == left
        assert not any(isinstance(finder, zipimporter) for finder in sys.path_importer_cache.values())
        assert importlib.import_module("second_of_archive").told == "modules.zip"
        assert gc.get_threshold() == RARELY
    finally:
        gc.set_threshold(*before)
        for module in ("first_of_archive", "second_of_archive"):
            sys.modules.pop(module, None)
