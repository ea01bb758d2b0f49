"""How tests start processes."""

from __future__ import annotations

import signal


def hears_hangup() -> None:
    """For a new process: let SIGHUP end it, even if the tests run under `nohup`."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
