"""Records that hold what no Kafka prints: they are kept as text, counted, and the run goes on."""

from __future__ import annotations

import re

SET_ASIDE = "[set aside: not understood]"
"""Stands before the text of such a record."""

# Kafka's numbers have 64 bits. A name of a file has 20 digits, the first of them 0.
IMPOSSIBLE_NUMBER = re.compile(r"(?<!\d)(?:[1-9]\d{19}|\d{21})")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def reason(error: Exception) -> str:
    """Why a record was set aside, in few words."""
    return f"{type(error).__name__}: {whole_text(str(error).partition(chr(10))[0][:120])}"


def whole_text(text: str) -> str:
    """`text` with U+FFFD in the place of what is no character: half of a pair in UTF-16, as JSON can write it."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
