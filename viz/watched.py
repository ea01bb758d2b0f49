"""The strip that a page wears while its logs are followed: as of when it is, and that it comes anew by itself."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from viz.markup import render

_STRIP = re.compile(r'<p class="watched".{0,2000}?</p>\n', re.DOTALL)
_BODY = "<body>\n"


def watched(page: str, as_of: datetime, every_seconds: float) -> str:
    """`page` with the strip, in the place of an earlier one: it says `as_of` when the logs were looked at, and makes the
    page load itself anew every so many seconds.
    """
    strip = render("watched.html.j2", as_of=as_of.astimezone(UTC), every=max(1, round(every_seconds)))
    return unwatched(page).replace(_BODY, f"{_BODY}{strip}\n", 1)


def unwatched(page: str) -> str:
    """`page` without the strip: nobody follows its logs any more."""
    return _STRIP.sub("", page, count=1)
