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
