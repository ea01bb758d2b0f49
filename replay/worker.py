"""A Python worker of Spark: how it runs this program's functions."""

from __future__ import annotations

import gc
import sys
from zipimport import zipimporter

from replay.garbage import RARELY


def prepare_worker() -> None:
    """Prepare this process for its next tasks. Python's garbage collector looks at new objects only.

    At every task, Spark has Python read the directories of all archives anew from which it has imported modules, once
    for each package in them: together a tenth of a second. Python forgets them, and opens one again when it needs it.
    Spark's jars, which hold no modules, leave the path.
    """
    gc.set_threshold(*RARELY)
    sys.path[:] = [place for place in sys.path if not place.endswith(".jar")]
    for place, finder in [*sys.path_importer_cache.items()]:
        if isinstance(finder, zipimporter):
            del sys.path_importer_cache[place]
