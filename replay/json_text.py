"""JSON from untrusted sources."""

from __future__ import annotations

import json
from typing import Any


def value_of_json(text: str) -> Any:
    """The value of a JSON text; None if it is not valid JSON, or nested too deeply."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def leading_json(text: str) -> tuple[Any, str]:
    """The JSON value at the start of a text, and the text after it; None and the whole text as `value_of_json`."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, text
    return value, text[end:]
