"""Records of client libraries, and of programs that use them, with message and error in fields: JSON or `key=value`
(logfmt).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from replay.json_text import leading_json
from replay.reading.layouts import JSON

_OF_FRANZ = re.compile(
    r"unable to open connection to broker|read from broker errored|metadata update triggered|heartbeat errored|join and sync loop errored|(?:read|wrote) [A-Z]\w{2,40} v\d{1,2}$|heartbeat(?:ing| complete)$"
)
_OF_SARAMA = re.compile(r"(?:client|producer|consumer)/|(?:[^\n]{0,120}?: )?kafka(?: server)?: ")
# How franz-go and Sarama print Kafka's errors.
_ERROR_IN_A_FIELD = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)+: |kafka(?: server)?: ")
_OF_KAFKAJS = re.compile(r"\[(?:Connection|Runner|ConsumerGroup|Consumer|Producer|BrokerPool|Broker|Cluster)\] ")
# What an application's error contains if it comes from a Kafka client.
_ABOUT_KAFKA = re.compile(r"(?i:kafka)|\bBroker: |\bLocal: |\b[A-Z]{2,20}_[A-Z_]{3,60}: ")
_MESSAGES = ("message", "msg")
_ERRORS = ("error", "err", "exception", "cause", "reason", "meta", "errorMessage", "error_message", "stack")
_OF_AN_ERROR = ("message", "msg", "str", "name")
_OF_FRANZ_IN_FIELDS = ("broker", "addr", "group", "why", "err", "error")
_LEVELS = {"WARNING": "WARN", "CRITICAL": "FATAL", "PANIC": "FATAL", "INFORMATION": "INFO"}
_PAIR = re.compile(
    r'(?<!\S)(?P<name>[A-Za-z_@.]{1,40})=(?:"(?P<quoted>(?:[^"\\\n]|\\.){0,4000})"?|(?P<bare>[^\s"]{0,400}))'
)
_LOGFMT = re.compile(r"^(?:\w{1,20}=\S[^\n]{0,200} )?(?:level|lvl)=[\"\w]{1,12} ")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_STAMPS = ("timestamp", "ts", "time", "@timestamp", "datetime")
_OF_JAVA = (*JSON.stack, *JSON.exception)  # read with the layout of these fields


def line_of_fields(row: str) -> str | None:
    """The record as a line in Kafka's own layout, with its error after its message; None if it is not about a
    client.
    """
    if row.startswith("{"):
        held = _of_json(row)
    elif _LOGFMT.match(row):
        pairs = {found["name"]: found["quoted"] or found["bare"] or "" for found in _PAIR.finditer(row)}
        held = {name: value.replace("\\n", " ").replace('\\"', '"').strip() for name, value in pairs.items()}
    else:
        return None
    message = next((text for name in _MESSAGES if isinstance(text := (held or {}).get(name), str)), None)
    if held is None or any(name in held for name in _OF_JAVA):
        return None
    whole = _with_its_error(held, message or "")
    if whole is None:
        return None
    stamp = next((found for name in _STAMPS if (found := _STAMP.match(str(held.get(name, ""))))), None)
    when = f"[{stamp[1]} {stamp[2]},{stamp[3] or '000'}] " if stamp else ""
    level = str(held.get("level", held.get("lvl", held.get("severity", "INFO")))).upper()
    return f"{when}{_LEVELS.get(level, level)} {whole}".replace("\n", " ")


def _of_json(row: str) -> Mapping[str, object] | None:
    held, rest = leading_json(row)
    if rest.strip(" }],"):
        return None  # text after the record, other than the end of an enclosing one
    return held if isinstance(held, dict) else None


def _with_its_error(held: Mapping[str, object], message: str) -> str | None:
    """The message with its error; for kafkajs and franz-go also with the peer."""
    if held.get("logger") == "kafkajs" or ("logger" not in held and _OF_KAFKAJS.match(message)):
        reason = f": {held['error']}" if isinstance(held.get("error"), str) else ""
        peer = f" (broker {held['broker']})" if isinstance(held.get("broker"), str) else ""
        return f"kafkajs: {message}{reason}{peer}"
    error = _error_of(held)
    if "msg" in held and (
        _OF_FRANZ.match(message) or (_ERROR_IN_A_FIELD.match(error) and not _OF_SARAMA.match(message))
    ):
        fields = [f"{name}: {held[name]}" for name in _OF_FRANZ_IN_FIELDS if held.get(name)]
        return f"{message}; {', '.join(fields)}" if fields else message
    if _ABOUT_KAFKA.search(error):
        return f"{message}: {error}" if message else error
    return message if _OF_SARAMA.match(message) else None


def _error_of(held: Mapping[str, object]) -> str:
    """The text of the error, if a separate field has it."""
    for name in _ERRORS:
        value = held.get(name)
        if isinstance(value, dict):
            value = next((text for inner in _OF_AN_ERROR if isinstance(text := value.get(inner), str)), None)
        if isinstance(value, str) and value:
            return value.split("\n    at ")[0]
    return ""
