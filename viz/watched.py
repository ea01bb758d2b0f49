"""The strip that a page shows while `watch` follows its logs: the time of the last analysis, and that the page reloads
itself.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from viz.markup import render

_STRIP = re.compile(r'<p class="watched".{0,2000}?</p>\n', re.DOTALL)
_BODY = "<body>\n"


def watched(page: str, as_of: datetime, every_seconds: float) -> str:
    """`page` with the strip, replacing an earlier one: it shows `as_of`, the time of the last analysis, and reloads
    the page at the given interval in seconds.
    """
    strip = render("watched.html.j2", as_of=as_of.astimezone(UTC), every=max(1, round(every_seconds)))
    return unwatched(page).replace(_BODY, f"{_BODY}{strip}\n", 1)


def unwatched(page: str) -> str:
    """`page` without the strip: `watch` no longer follows its logs."""
    return _STRIP.sub("", page, count=1)
