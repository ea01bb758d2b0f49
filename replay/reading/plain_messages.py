"""Finds the messages that certainly hold no secret and no impossible number, all in one search.

Looking for secrets takes a third of the time of reading a message. One expression over many messages, in time
proportional to their length, shows that almost all of them need no such search.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from replay.reading.secrets import SIGNS

_FEW = 100  # with fewer messages, loading Arrow is not worth it
_DIGITS = 20  # the digits of the shortest number that `IMPOSSIBLE_NUMBER` matches
# What `hidden_text` decodes or removes before it searches; the lower case of letters beyond ASCII can be one of its
# signs.
_ENCODED = r"[%&\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[^\x00-\x7f]"


def are_plain(messages: Sequence[str]) -> Sequence[bool]:
    """For each message, whether `hidden_text` certainly returns it unchanged and no number in it has to be set
    aside. False means that it is unknown.
    """
    if len(messages) < _FEW:
        return [False] * len(messages)
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        texts = pa.array(messages, pa.string())
    except (pa.ArrowException, UnicodeError):  # half of a surrogate pair, for example
        return [False] * len(messages)
    found: list[bool] = pc.invert(pc.match_substring_regex(texts, _signs(), ignore_case=True)).to_pylist()
    return found


@cache
def _signs() -> str:
    """An expression that matches any sign of a secret, encoded text, and very long numbers."""
    least = [sign for sign in SIGNS if not any(other != sign and other in sign for other in SIGNS)]
    return "|".join((*map(re.escape, least), _ENCODED, rf"[0-9]{{{_DIGITS}}}"))
