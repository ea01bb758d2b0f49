"""A Python worker of Spark: how it runs this program's functions."""

from __future__ import annotations

import gc
import sys

from replay.garbage import RARELY


def prepare_worker() -> None:
    """Prepare this process for all its tasks. Python's garbage collector looks at new objects only. Spark puts its jars
    on Python's path, and Python reads the directory of each anew at every task, a tenth of a second: they leave the path.
    """
    gc.set_threshold(*RARELY)
    for jar in [path for path in sys.path if path.endswith(".jar")]:
        sys.path.remove(jar)
        sys.path_importer_cache.pop(jar, None)
