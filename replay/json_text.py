"""JSON from untrusted sources."""

from __future__ import annotations

import json
from typing import Any

from replay.reading.set_aside import whole_text


def value_of_json(text: str) -> Any:
    """The value of a JSON text, its texts `whole`; None if it is not valid JSON, or nested too deeply."""
    try:
        value = json.loads(text)
        return whole(value) if "\\ud" in text.lower() else value
    except (ValueError, RecursionError):
        return None


def whole(value: object) -> object:
    """A JSON value without unpaired surrogates in its texts."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [whole(one) for one in value]
    if isinstance(value, dict):
        return {whole_text(name): whole(one) for name, one in value.items()}
    return value


def leading_json(text: str) -> tuple[Any, str]:
    """The JSON value at the start of a text, and the text after it; None and the whole text as `value_of_json`."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None, text
    return value, text[end:]
