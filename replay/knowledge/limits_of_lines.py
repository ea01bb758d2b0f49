"""What about the lines limits the answer, and what would clarify more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from replay.knowledge.answer import ExplainedMessage
from replay.knowledge.choosing import WARN, Read
from replay.knowledge.meaning import PASSING
from replay.lists import listed
from replay.reading.printed_line import NO_LEVEL, OTHERS, UNKNOWN, Line

_DATE = re.compile(r"\b\d{4}[-/.]\d{2}[-/.]\d{2}(?:\b|T)")  # also in a line whose time is not read
# A client library, or the start script of an image, names itself.
_OF_A_LIBRARY = re.compile(
    r"\[(?:sarama|kafka-go|kgo|aiokafka)\]|\brdkafka\b|\bkafkajs\b|==> \*\* (?:Starting|Stopping) Kafka"
)
_HEAD = 200  # characters
_FEW = 500  # lines


def notes_on(
    lines: Sequence[Line], kafkas: Sequence[Line], brokers: Sequence[Line], read: Iterable[Read]
) -> Iterator[str]:
    """What about the text itself limits the answer."""
    known = {one.line.where for one in read if one.is_known}
    if kafkas and not brokers:
        programs = listed(sorted({line.program for line in kafkas}))
        yield f"These lines were printed by {programs}, not by a broker: they show the brokers from its point of view."
    elif len(kafkas) - len(brokers) > len(brokers):
        yield "Most of these lines are from a client, not from a broker."
    ours = {*known, *(line.where for line in kafkas)}
    foreign = [line for line in lines if line.where not in ours and line.kind not in (UNKNOWN, OTHERS)]
    foreign = [line for line in foreign if not _OF_A_LIBRARY.search(line.message[:_HEAD])]
    plain = sum(_is_plain(line) for line in foreign)
    for many, what in (
        (len(foreign) - plain, "of other services or of an application"),
        (plain, "text without a time, level or logger"),
    ):
        if many and kafkas:
            yield f"{many:,} {'line is' if many == 1 else 'lines are'} {what}, and left aside."
    others = [line for line in lines if line.kind == OTHERS and line.severity < WARN and line.where not in known]
    oom = min((line.number for line in lines if "invoked oom-killer" in line.message), default=None)
    # The kernel's report about it has many rows.
    others = [line for line in others if oom is None or line.writer != "kernel" or line.number <= oom]
    if others:
        writers = ", ".join(dict.fromkeys(line.writer for line in others))
        yield f"{len(others):,} {'line' if len(others) == 1 else 'lines'} of {writers} {'has' if len(others) == 1 else 'have'} no known relation to Kafka."
    if len(kafkas) > 1 and all(line.ts is None and not _DATE.search(line.text) for line in lines):
        has_clock = any(line.clock for line in lines)
        yield f"The lines have {'times without a date' if has_clock else 'no times'}: their order is that of the text."


def _is_plain(line: Line) -> bool:
    """Whether nothing shows that a program wrote the line: a remark, a heading, a setting."""
    return line.level == NO_LEVEL and line.logger is None and line.ts is None and not line.clock and not line.writer


def missing(
    messages: Sequence[ExplainedMessage],
    harmless: Sequence[ExplainedMessage],
    kafkas: Sequence[Line],
    here: Collection[str],
) -> Iterator[str]:
    """Commands that would clarify more; `here` are the ids of the nodes whose own lines are here."""
    if not messages and not harmless and kafkas and len(kafkas) <= _FEW:
        yield "if something was wrong at this time: server.log and controller.log of all nodes, from some minutes before: kafka-replay analyze DIR1 DIR2"
    if not messages or not kafkas:
        return
    if all(line.is_clients for line in kafkas):
        yield "server.log of the brokers that it names, for the same minutes"
        return
    if not any(line.message.startswith("Kafka version") for line in kafkas):
        yield "grep -h 'Kafka version' server.log*   # the release: which known bugs can be meant"
    peers = dict.fromkeys(str(node) for one in messages for node in one.nodes if str(node) not in here)
    for peer in list(peers)[:3]:
        yield f"server.log and controller.log of node {peer} of the same minutes: kafka-replay analyze DIR1 DIR2"
    heavy = [one for one in messages if one.weight != PASSING]
    if any(re.search(r"\bISR\b|replica|copied|copies", one.effect + one.says + one.next) for one in heavy):
        yield "kafka-topics.sh --bootstrap-server HOST:9092 --describe --under-replicated-partitions"
    if not any(line.severity == 2 for line in kafkas):
        yield "the INFO lines around these: the complete server.log and controller.log, not only the result of grep ERROR"
