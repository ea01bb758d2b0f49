"""The errors of Kafka's protocol, by every name and text that Kafka or a client library prints for them.

`protocol_errors.tsv` of the catalogue has one row per error. Sources: `org.apache.kafka.common.protocol.Errors`;
rdkafka.c of librdkafka; errors.go of Sarama; kerr.go of franz-go; error.js of kafkajs; error.go of kafka-go;
errors.py of kafka-python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from replay.catalogue.own_tables import rows_of

COLUMNS = ("code", "name", "class", "other names", "texts")
_NONE = "-"
# Names and classes that other programs use too.
_COMMON = frozenset(
    [
        "INVALID_REQUEST",
        "INVALID_CONFIG",
        "NETWORK_EXCEPTION",
        "RESOURCE_NOT_FOUND",
        "DUPLICATE_RESOURCE",
        "INVALID_RECORD",
        "POLICY_VIOLATION",
        "UNSUPPORTED_VERSION",
        "SECURITY_DISABLED",
        "REQUEST_TIMED_OUT",
        "INVALID_TIMESTAMP",
        "CORRUPT_MESSAGE",
        "INVALID_REGISTRATION",
        "MESSAGE_TOO_LARGE",
        "OPERATION_NOT_ATTEMPTED",
        "INVALID_MSG",
        "INVALID_MSG_SIZE",
    ]
)
_CONSTANT = re.compile(r"(?<![A-Za-z0-9_])[A-Z]{2,20}(?:_[A-Z]{1,20}){1,7}(?![A-Za-z0-9_])")
_CAMEL = re.compile(
    r"(?<![A-Za-z0-9_])(?P<name>[A-Z][A-Za-z]{5,60}?)(?P<suffix>Exception|Error|Code)?(?![A-Za-z0-9_])|\[Error -?\d{1,3}\] (?P<numbered>[A-Z][A-Za-z]{5,60}?)(?:Error)?(?![A-Za-z0-9_])|(?:^|\[-?\d{1,3}\] )(?P<title>[A-Z][A-Za-z]{1,20}(?: [A-Z][A-Za-z]{1,20}){1,6})(?=: )"
)
_HUMPS = re.compile(r"[A-Z][a-z]")
_NUMBER = re.compile(
    r"(?i:(?<![a-z])(?:kafka[ _]?error|error[ _]?code|err[ _]?code)['\"]?)(?:[:=]| is)?[ ('\"]{0,3}(?P<code>\d{1,3})(?![\d.])"
)
_OF_A_REQUEST = re.compile(
    r"(?i:kafka|heartbeat|(?:join|sync|leave) ?group|offset|fetch|produce|metadata|coordinator|partition|broker)"
)
_OF_OTHERS = re.compile(r"RestClientException|\bHTTP\b|\bSQL|\bORA-|schema registry", re.IGNORECASE)
# A Kafka exception, or an error as librdkafka and Sarama print it, anywhere in a text.
_ERROR_OF_KAFKA = re.compile(
    r"\b(?:Broker|Local|kafka server): [A-Z][a-z]|\bKafka::[A-Z]\w{3,60}|No security protocol defined for listener |No .meta\.properties. found in /|advertised\.listeners cannot use the nonroutable|\b(?:org\.apache|io\.confluent)\.kafka\.(?:[a-z]\w{0,40}\.){1,8}[A-Z]\w{0,80}(?:Exception|Error)\b"
)
_SURE = 44  # characters: no other program prints such a long text by chance
_OF_LIBRDKAFKA = "Broker: "


@dataclass(frozen=True)
class _Errors:
    by_name: dict[str, str]
    by_number: dict[str, str]
    by_text: dict[str, str]


@cache
def _errors() -> _Errors:
    """The class of each error, by its names, its number and its texts."""
    by_name: dict[str, str] = {}
    by_number: dict[str, str] = {}
    by_text: dict[str, str] = {}
    for number, name, its_class, others, texts in rows_of("protocol_errors.tsv", COLUMNS):
        by_number[number] = its_class
        by_name[name] = its_class
        if name != "REQUEST_TIMED_OUT":  # other programs also have a TimeoutException
            by_name[its_class.removesuffix("Exception")] = its_class
        by_name |= dict.fromkeys(others.replace(_NONE, "").split(), its_class)
        by_text |= dict.fromkeys(texts.split(" | ") if texts != _NONE else (), its_class)
    return _Errors(by_name, by_number, by_text)


def class_of_text(text: str) -> str | None:
    """The class of the error that `text` names: by its longest known text, else by the last name, else by the
    number.
    """
    errors = _errors()
    if there := [fixed for fixed in errors.by_text if fixed in text]:
        return errors.by_text[max(there, key=len)]
    return _by_its_name(text) or _by_its_number(text)


def names_an_error(text: str) -> bool:
    """Whether `text` names an error the way Kafka or one of its client libraries does, and no other program."""
    if _ERROR_OF_KAFKA.search(text) is not None:
        return True
    sure = (fixed for fixed in _errors().by_text if len(fixed) >= _SURE or fixed.startswith(_OF_LIBRDKAFKA))
    return any(fixed in text for fixed in sure) or _by_its_name(text) is not None


def _by_its_name(text: str) -> str | None:
    by_name = _errors().by_name
    is_kafkas = "kafka" in text.lower()
    found: dict[int, str] = {}
    for one in _CONSTANT.finditer(text):
        if one[0] in by_name and (is_kafkas or one[0] not in _COMMON):
            found[one.start()] = by_name[one[0]]
    for one in _CAMEL.finditer(text):
        name = (one["name"] or one["numbered"] or one["title"]).replace(" ", "")
        its_class = by_name.get(name)
        is_long = len(_HUMPS.findall(name)) > (1 if one["suffix"] == "Error" else 2)
        is_sure = is_kafkas or one["name"] is None or (is_long and _constant_of(name) not in _COMMON)
        if its_class is not None and is_sure:
            found[one.start()] = its_class
    return found[max(found)] if found else None


def _constant_of(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()


def _by_its_number(text: str) -> str | None:
    if _OF_A_REQUEST.search(text) is None or _OF_OTHERS.search(text) is not None:
        return None
    return next((known for one in _NUMBER.finditer(text) if (known := _errors().by_number.get(one["code"]))), None)
