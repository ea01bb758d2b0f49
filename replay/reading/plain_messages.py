"""Which messages certainly hold no secret and no impossible number: all of them in one look.

To look for secrets takes a third of the time in which a message is read. One expression over many messages, which takes
time in proportion to their length, decides for almost all of them that there is nothing to look for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from replay.reading.secrets import SIGNS

_FEW = 100  # messages for which Arrow need not be loaded
_DIGITS = 20  # of the shortest number that `IMPOSSIBLE_NUMBER` matches
# What `hidden_text` decodes or leaves out before it looks; letters beyond ASCII can have one of its signs as their
# lower case.
_ENCODED = r"[%&\\\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|[^\x00-\x7f]"


def are_plain(messages: Sequence[str]) -> Sequence[bool]:
    """Of each message whether it certainly is what `hidden_text` returns, without a number that is set aside; false says
    nothing.
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
    """An expression for any sign of a secret, anything encoded, and a very long number."""
    least = [sign for sign in SIGNS if not any(other != sign and other in sign for other in SIGNS)]
    return "|".join((*map(re.escape, least), _ENCODED, rf"[0-9]{{{_DIGITS}}}"))
