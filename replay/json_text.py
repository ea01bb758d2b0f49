"""JSON that a stranger wrote."""

from __future__ import annotations

import json
from typing import Any


def value_of_json(text: str) -> Any:
    """The value of a JSON text; None if it is no JSON, or nested deeper than can be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
