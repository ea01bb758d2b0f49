"""How tests start processes."""

from __future__ import annotations

import signal


def hears_hangup() -> None:
    """In a new process: a closed terminal ends it, though the tests themselves may run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
