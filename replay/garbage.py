"""When Python's garbage collector runs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

RARELY = (50_000, 20, 1_000)  # the collector looks at new objects only: rows hold no cycles


@contextmanager
def rarely_collected() -> Iterator[None]:
    """Within, Python's garbage collector looks at new objects only: rows hold no cycles, and to walk millions of them again
    and again took a fifth of a run over 3,600 partitions.
    """
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
