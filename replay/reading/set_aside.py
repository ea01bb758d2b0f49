"""Recognizes records that Kafka cannot have printed: they are kept as text and counted, and the run continues."""

from __future__ import annotations

import re

SET_ASIDE = "[set aside: not understood]"
"""The prefix of the text of such a record."""

# Kafka's numbers have 64 bits. The name of a segment file has 20 digits and starts with 0. Digits that continue a word
# are part of a name.
IMPOSSIBLE_NUMBER = re.compile(r"(?<![A-Za-z_\d])(?:[1-9]\d{19}|\d{21})")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def reason(error: Exception) -> str:
    """Why a record was set aside, in a few words."""
    return f"{type(error).__name__}: {whole_text(str(error).partition(chr(10))[0][:120])}"


def whole_text(text: str) -> str:
    """`text` with U+FFFD in place of invalid characters: half of a UTF-16 pair, which JSON can contain."""
    return text if text.isascii() else _LONE_SURROGATE.sub("\ufffd", text)
