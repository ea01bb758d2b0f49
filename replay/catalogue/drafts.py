"""Drafts a template for a message that no template matches: its text with the values replaced by fields.

A draft is a starting point for a person. It matches the message it was made from, and the surrounding words suggest
the names of its fields (`fields.py`), and so their types. One message cannot settle everything; the person decides
the rest.
"""

from __future__ import annotations

import re

from replay.catalogue.fields import pattern_of
from replay.catalogue.template import Template
from replay.patterns import compiled

_LARGER = (
    "partition_state",
    "leader_and_isr",
    "leader_isr_and_controller_epoch",
    "partition_registration",
    "truncation_state",
    "loaded_log",
    "epoch_entry",
)
_KEY = r"(?P<key>[A-Za-z][A-Za-z_]*)"
_VALUE = compiled(
    "|".join(f"(?P<{name}>{re.sub(r'[(][?]P<[a-z_]+>', '(?:', pattern_of(name))})" for name in _LARGER)
    + rf"|(?P<quoted>(?<!\w)'[^']*'|\"[^\"]*\")"
    rf"|(?<![\w.]){_KEY}=(?P<told>\[[^\[\]]*\]|[^\s,;(){{}}\[\]]*[^\s,;(){{}}\[\].])"
    r"|(?P<node>[\w.-]+:\d+ \(id: -?\d+ rack: \w+\))"
    r"|(?P<exception>(?:[a-z]\w*\.){2,20}[A-Z]\w*)"
    r"|(?P<list>\b(?:Set|List|ArrayBuffer|Vector)\([\d, ]*\)|\[[\d, ]+\]|(?<![\w.,-])\d+(?:, ?\d+){1,60}(?![\w.-]))"
    r"|(?P<topic_id>(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{22}(?![\w-]))"
    r"|(?P<partition>\[[A-Za-z_][\w.-]*,\d+\]|(?<![\w./-])[A-Za-z_][\w.-]*-\d+(?![\w.-]*\w))"
    r"|(?P<path>(?<![\w])/[\w.][\w./-]*\w)"
    r"|(?P<number>(?<![\w.])-?\d+(?![\w.]*\w))"
    r"|(?P<word>(?<![\w.])[\w.-]*\d[\w.-]*\w)"
)
_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]++)[^A-Za-z]*+$")
_TWO_BEFORE = re.compile(r"(?<![A-Za-z])([A-Za-z]++) ([A-Za-z]++)[^A-Za-z]*+$")
_AFTER = re.compile(r"^ ?([a-z]+)")
_PREFIX_BEFORE = re.compile(r"^\[[A-Z][A-Za-z ]* $")
_CONTROLLER_BEFORE = re.compile(r"(?i)\bcontroller (?:id=)?\S+ epoch[ =]?$")
_EPOCH_OWNERS = {"leader", "controller", "partition", "broker"}
_ID_OWNERS = {
    "broker",
    "node",
    "controller",
    "leader",
    "replica",
    "follower",
    "correlation",
    "fetcher",
    "voter",
    "candidate",
}
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Keys of Kafka's texts that mean a field of another name (kafka-log-formats §4).
_MEANT = {
    "epoch": "leader_epoch",
    "zk_version": "partition_epoch",
    "end_offset": "log_end_offset",
    "start_offset": "epoch_start_offset",
}
_DIGITS = re.compile(r"\d+")


def draft(message: str) -> str:
    """The text of a template that matches `message`."""
    first_line = message.split("\n")[0].rstrip()
    for text in (_named(first_line), _numbered(first_line)):
        if Template("", "", "", "", "", text, first_line).fields_of(first_line) is not None:
            return text
    return first_line


def _named(message: str) -> str:
    names: dict[str, str] = {}  # the value that a name stands for

    def field(value: str, name: str) -> str:
        free, number = name, 2
        while names.setdefault(free, value) != value:
            free, number = f"{name}_{number}", number + 1
        return f"{{{free}}}"

    def replaced(found: re.Match[str]) -> str:
        before, after = message[: found.start()], message[found.end() :]
        kind, whole = found.lastgroup, found.group()
        if kind == "quoted":
            return f"{whole[0]}{field(whole[1:-1], _word_before(before) or 'text')}{whole[0]}"
        if kind == "told":
            return f"{found['key']}={field(found['told'], _name_of_key(found['key'], found['told'], before))}"
        if kind == "list":
            return field(
                whole,
                "isr"
                if re.search(r"(?i)\bisr\b[^\w]*$", before)
                else "replicas"
                if re.search(r"(?i)replicas?\b\W*$", before)
                else "list",
            )
        if kind == "number":
            return field(whole, _name_of_number(before, after))
        return field(
            whole,
            {"partition": "topic_partition", "node": "node_text", "exception": "exception_class", "word": "name"}.get(
                kind or "", kind or ""
            ),
        )

    return _VALUE.sub(replaced, message)


def _name_of_key(key: str, value: str, before: str) -> str:
    name = _CAMEL.sub("_", key).lower()
    if name == "id":  # `[Broker id=1]`, `[QuorumController id=1]`: the word before it names the owner
        owner = re.search(r"(?<![A-Za-z])([A-Za-z]++) $", before)
        return f"{owner[1].lower()}_id" if owner and owner[1].lower() in _ID_OWNERS else "node_id"
    if name == "epoch" and _CONTROLLER_BEFORE.search(f"{before}epoch"):
        return "controller_epoch"
    if name == "broker":
        return "broker_id"
    if name in ("partition", "tp") and not value.isdecimal():
        return "topic_partition"
    if value.startswith("[") and name not in ("isr", "replicas"):
        return f"{name}_list"
    return _MEANT.get(name, name)


def _name_of_number(before: str, after: str) -> str:
    two = _TWO_BEFORE.search(before)
    words = (two[1].lower(), two[2].lower()) if two else ("", _word_before(before))
    next_word = (found := _AFTER.match(after)) and found[1]
    if _PREFIX_BEFORE.search(before):
        return "controller_id" if "ontroller" in before else "broker_id"
    if _CONTROLLER_BEFORE.search(before):
        return "controller_epoch"
    if words[1] == "epoch":
        return f"{words[0]}_epoch" if words[0] in _EPOCH_OWNERS else "leader_epoch"
    if words[1] == "id" and words[0] in _ID_OWNERS:
        return f"{words[0]}_id"
    if words[1] in _ID_OWNERS:
        return f"{words[1]}_id"
    if words[1] in ("offset", "watermark"):
        return (
            "high_watermark"
            if words[1] == "watermark"
            else f"{words[0]}_offset"
            if words[0] in ("start", "end", "target", "fetch")
            else "offset"
        )
    if next_word in ("ms", "milliseconds"):
        return "duration_ms"
    return f"{next_word.rstrip('s')}_count" if next_word and len(next_word) > 3 else "number_count"


def _word_before(text: str) -> str:
    found = _BEFORE.search(text)
    return found[1].lower() if found else ""


def _numbered(message: str) -> str:
    """The message with only its numbers replaced by fields."""
    numbers = iter(range(1, len(message) + 1))
    return _DIGITS.sub(lambda _: f"{{number_{next(numbers)}}}", message)
