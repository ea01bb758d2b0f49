"""Which meaning a line has: by its exception, by its template or kind, by its text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from replay.catalogue import explain_cut, explain_of_client
from replay.catalogue.protocol_errors import class_of_text, names_an_error
from replay.knowledge.code_tables import rows_of
from replay.knowledge.hosts import meaning_of_host
from replay.knowledge.library import Library, library
from replay.knowledge.matching_issues import fixed_texts
from replay.knowledge.meaning import Meaning
from replay.reading.printed_line import NO_LEVEL, OTHERS, SETTING, SHAPES, TYPED, UNKNOWN, ZEROS, Line, is_brokers_trace

WARN = 3
_MESSAGE_OF_AN_EXCEPTION = re.compile(
    r"(?<![\w.])(?:[a-z]\w{0,40}\.){1,12}[A-Z]\w{0,80}(?:Exception|Error): (?!(?:[a-z]\w{0,40}\.){1,12}[A-Z]\w{0,80}(?:Exception|Error): )([^\n]{20,600})"
)
_LOOKED_AT = 5  # positions of a record that match one pattern
_LONG = 20_000  # only this much of a record is searched
_LONG_REASON = 60  # characters; the pattern does not truncate a shorter one
_GOES_ON = re.compile(r"[\w ]")
_FRAMES = re.compile(r"(?<!\s)\s++(?<=\s)at (?:[\w$]++\.)++[\w$<>]++\(")
_KAFKAS_FRAME = re.compile(
    r"\s*at (?:java\.base/)?(?:org\.apache\.(?:kafka|zookeeper)|kafka|java|scala|sun)\.[\w.$]+"
)  # the tail of a stack trace
_TREATED_AS = re.compile(r" \(treated as \w+\)")  # a response to a client, not an event
_PLAIN = re.compile(r"_\d+$")
_KAFKA = re.compile(
    r"^(?:kafka\.|o\.s\.k\.|com\.linkedin\.kafka\.cruisecontrol\.|org\.springframework\.kafka\.|(?:org\.apache|org\.apa|o\.apache|or\.ap|o\.a)\.(?:kafka|zookeeper|kaf|zoo|ka|zo|k|z)\.|state\.change|org\.I0Itec|io\.(?:confluent|debezium)|i\.d(?:ebezium)?\.|io\.strimzi\.kafka\.|[A-Z][\w$]+$)"
)
_CONTEXT = re.compile(
    r"^\[(?:[A-Z][\w .-]*?(?:[iI]d|broker|controller)=\d|(?:Topic Deletion Manager|Controller|GroupCoordinator|Group Metadata Manager on Broker|"
    r"Replica Manager on Broker|Kafka Server) \d|KafkaApi-\d)"
)
# How lines of clients and of Kafka Connect workers begin.
_OF_A_CLIENT = re.compile(
    r"^\[(?:(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=|[\w.>-]{1,200}\|(?:task-\d|worker))"
)
_ERROR_OF_KAFKA = re.compile(r"org\.apache\.kafka\.common\.errors\.\w{1,80}Exception: ")
_QUOTED = re.compile(r"\berr(?:or)?: [A-Z]{2,20}(?:_[A-Z]{1,20}){1,7}: ")  # as franz-go prints Kafka's errors
_EXCEPTION_UNDER = re.compile(r"\s*(?:[a-z]\w*\.){1,12}[A-Z]\w{0,80}(?:Exception|Error)\b")
_LOGIN_FAILED = "ailed authentication with "
_KERBEROS_REFUSED = re.compile(r"\] Failed (?:re-)?authentication with [^\n]{0,400}\bGSSException\b")
_INNER = re.compile(r"Caused by: |; nested exception is ")  # as Java prints a cause, and Spring up to 5
_IS_EXCEPTION = re.compile(r"(?:Caused by: )?[\w.$]*(?:Exception|Error)\b")


@dataclass(frozen=True)
class Read:
    """A line with the meaning of its wording, the meaning of its exception, and the values of both."""

    line: Line
    wording: Meaning | None
    cause: Meaning | None
    values: dict[str, str]

    @property
    def is_known(self) -> bool:
        """Whether the line is recognized."""
        return self.wording is not None or self.cause is not None

    def means(self, key: str) -> bool:
        """Whether its wording has the meaning `key`."""
        return self.wording is not None and self.wording.key == key


def is_foreign(line: Line, loggers_are_printed: bool) -> bool:
    """Whether another service wrote the line: its wording is not in the catalogue, its logger is not Kafka's (or it
    has no logger in a file with Kafka loggers, or matches no layout), and it does not begin like Kafka's own
    lines.
    """
    if line.writer:
        return line.kind in (UNKNOWN, OTHERS, TYPED, SETTING)
    if line.template is not None or _CONTEXT.match(line.message) is not None or _OF_A_CLIENT.match(line.message):
        return False
    if _ERROR_OF_KAFKA.search(line.message) or names_an_error(line.text[:_LONG]):
        return False
    if line.logger is None:
        if _KAFKAS_FRAME.match(line.message) or is_brokers_trace(line.trace):
            return False
        may_be = loggers_are_printed or line.level == NO_LEVEL
        return (
            may_be
            and wording_of(line) is None
            and (_IS_EXCEPTION.match(line.message) is None or cause_of(line) is None)
        )
    if _KAFKA.match(line.logger) is not None or _first(library().of_users, line.text[:_LONG], "wording") is not None:
        return False
    return "kafka" not in line.logger.lower() or (wording_of(line) is None and cause_of(line) is None)


def wording_of(line: Line) -> tuple[Meaning, dict[str, str]] | None:
    """The meaning of the wording and the values of its pattern: by its template and kind; by its text only if no
    template matches, or if a meaning refines the template's meaning. Below WARN, only signs apply.
    """
    if line.writer:
        return meaning_of_host(line.kind or "", dict(line.fields))
    text = line.text[:_LONG]
    if line.severity < WARN and line.level != NO_LEVEL:
        may_have_one = _may_have_a_sign(library(), text.translate(ZEROS))
        signs = _signs_for(library(), text) if may_have_one else _numbered_signs_for(text)
        return _first(signs, text, "wording")
    typed = _typed(line)
    if typed is None:
        return _first(library().with_text, text, "wording")
    return _first(library().refining.get(typed.key, ()), text, "wording") or (typed, _values_in(typed, text))


def _typed(line: Line) -> Meaning | None:
    """The meaning of the line's template, or of its kind."""
    if line.template is None:
        return None
    return library().by_template.get(line.template) or library().by_kind.get(line.kind or "")


def _values_in(meaning: Meaning, text: str) -> dict[str, str]:
    found = _first((meaning,), text, "wording") if meaning.wording else None
    return found[1] if found is not None else {}


_TEXTS_OF_EXCEPTIONS = 4_000  # cached texts, without their digits
_ANY_DIGIT = re.compile(r"\\d|\{\d{0,6}+,?\d{0,6}+\}|\(\?P<\w{1,60}+>")


@cache
def depends_on_digits(pattern: str) -> bool:
    """Whether the pattern may match a text but not the same text with other digits."""
    return re.search(r"\d|\(\?P=", _ANY_DIGIT.sub("", pattern)) is not None


@lru_cache(8)
def _signs_of_numbers(of: Library) -> tuple[tuple[tuple[str, ...], Meaning], ...]:
    """The signs whose pattern depends on certain digits, with their fixed texts."""
    return tuple((fixed_texts(sign.wording), sign) for sign in of.signs if depends_on_digits(sign.wording))


def _numbered_signs_for(text: str) -> tuple[Meaning, ...]:
    """The signs that `text` may have, of those whose pattern depends on certain digits."""
    numbered = _signs_of_numbers(library())
    return tuple(sign for texts, sign in numbered if not texts or any(map(text.__contains__, texts)))


@lru_cache(SHAPES)
def _may_have_a_sign(of: Library, zeros: str) -> bool:
    """Whether a text with all digits 0 has a sign whose pattern does not depend on certain digits."""
    numbered = {id(sign) for _, sign in _signs_of_numbers(of)}
    return any(
        sign.wording_regex.search(zeros) is not None
        for sign in _signs_for(of, zeros)
        if id(sign) not in numbered and _may_match(sign.wording, zeros)
    )


def _signs_for(of: Library, text: str) -> tuple[Meaning, ...]:
    """The signs that a text may have."""
    texts, others = of.texts_of_signs
    return of.signs if any(map(text.__contains__, texts)) else others


def quiet_signs() -> list[str]:
    """Patterns that select every sign below WARN: one for all fixed texts, and one for each sign without a fixed
    text. A single pattern with the counted repeats of several signs would make RE2 thirty times slower.
    """
    texts = {sign.wording: fixed_texts(sign.wording) for sign in library().signs}
    fixed = "|".join(re.escape(text) for of_sign in texts.values() for text in of_sign)
    return [fixed, *(wording for wording, of_sign in texts.items() if not of_sign)]


def cause_of(line: Line) -> tuple[Meaning, dict[str, str]] | None:
    """The meaning of the line's exception: the first matching entry in order; a general entry applies to the
    innermost exception. A line that prints only the fixed text of an error is read as if it named the error's
    class.
    """
    if line.writer:
        return None
    if line.severity < WARN and not _reports_an_error(line):
        text = line.text[:_LONG] if _LOGIN_FAILED in line.message[:_LONG] else line.trace[:_LONG]
        return _first(library().of_a_login, text, "exception") if text else None
    text = _TREATED_AS.sub("", line.text[:_LONG])
    inner = _INNER.split(text)[-1]
    known = _exception_in(line, text)
    if known is None or known[0].is_general:
        known = _logged_elsewhere(inner) or (_exception_in(line, inner) if inner != text else None) or known
    refusal = (class_of_text(text.partition("\n")[0]) or class_of_text(text)) if known is None else None
    if refusal is not None:
        known = _exception_in(line, refusal)
    fallbacks = library().fallbacks
    return known or _first(fallbacks, inner, "exception") or _first(fallbacks, text, "exception")


def _logged_elsewhere(text: str) -> tuple[Meaning, dict[str, str]] | None:
    """The meaning of an exception whose message is also a line in the clients' catalogue."""
    message = _MESSAGE_OF_AN_EXCEPTION.search(text)
    if message is None:
        return None
    text, whole = message[1], message[1].rstrip(".")
    template, values = explain_of_client(text) or explain_of_client(whole) or (explain_cut(whole), {})
    meaning = library().by_kind.get(template.kind) if template is not None else None
    return None if meaning is None else (meaning, values)


def _reports_an_error(line: Line) -> bool:
    """Whether the line reports an error: a client's line below WARN with an exception or a login that Kerberos
    refused, or a line that quotes a Kafka error and is no step that the catalogue knows.
    """
    if line.is_clients and (_KERBEROS_REFUSED.search(line.message) or _EXCEPTION_UNDER.match(line.trace)):
        return True
    names_one = _ERROR_OF_KAFKA.search(line.message) or (line.severity > 1 and _QUOTED.search(line.message))
    return line.template is None and bool(names_one)


@lru_cache(32)
def _exceptions_to_read(of: Library, may_end: bool, of_a_client: bool) -> tuple[Meaning, ...]:
    return of.exceptions(may_end, of_a_client)


def _exception_in(line: Line, text: str) -> tuple[Meaning, dict[str, str]] | None:
    """The exception entry that matches a text of the line, with its values."""
    return _first(
        _exceptions_for(library(), line.severity > WARN, line.is_clients, text.translate(ZEROS)), text, "exception"
    )


@lru_cache(_TEXTS_OF_EXCEPTIONS)
def _exceptions_for(of: Library, may_end: bool, of_a_client: bool, zeros: str) -> tuple[Meaning, ...]:
    """The entries that may match a text that is `zeros` with all digits 0; the first that does is among them."""
    found = []
    for one in _exceptions_to_read(of, may_end, of_a_client):
        if depends_on_digits(one.exception):
            found.append(one)
        elif _may_match(one.exception, zeros) and one.exception_regex.search(zeros) is not None:
            return (*found, one)
    return tuple(found)


def _may_match(pattern: str, text: str) -> bool:
    """Whether `text` has a fixed text of the pattern, without which it cannot match; many patterns are never compiled."""
    texts = fixed_texts(pattern)
    return not texts or any(map(text.__contains__, texts))


def _first(meanings: tuple[Meaning, ...], text: str, by: str) -> tuple[Meaning, dict[str, str]] | None:
    for meaning in meanings:
        if not _may_match(meaning.wording if by == "wording" else meaning.exception, text):
            continue
        regex = meaning.wording_regex if by == "wording" else meaning.exception_regex
        if regex.search(text) is not None:  # of several matching positions, the one with the most names
            named = [_named(found) for found in islice(regex.finditer(text), _LOOKED_AT)]
            return meaning, max(named, key=len)
    return None


def _named(found: re.Match[str]) -> dict[str, str]:
    """The groups of a pattern; `name_2` fills `name`. A reason ends before any stack frames on its line, and ends
    with dots if its end was truncated.
    """
    values: dict[str, str] = {}
    for name, value in found.groupdict().items():
        if value and name.startswith("reason"):
            text, *frames = _FRAMES.split(value, maxsplit=1)
            is_cut = not frames and len(value) >= _LONG_REASON and _GOES_ON.match(found.string, found.end(name))
            values[_PLAIN.sub("", name)] = f"{text.rpartition(' ')[0].rstrip(' ,;:')} …" if is_cut else text.strip()
        elif value:
            values[_PLAIN.sub("", name)] = value.strip()
    return values


# Lines whose kind has another sentence if their text has this.
_OTHER_STEPS = (
    ("log_truncated_to", " -", "log_truncation_impossible"),
    ("client_position", "Found no committed offset", "client_position_unknown"),
)


@cache
def _steps() -> dict[str, str]:
    """The sentence for each kind of the catalogue."""
    return {row.text: row.says for row in rows_of("steps")}


def step_of(line: Line, kind: str) -> str | None:
    """The sentence of a quiet line of this kind."""
    other = next((key for of, text, key in _OTHER_STEPS if of == kind and text in line.message), kind)
    return _steps().get(other)


def routine_of(line: Line) -> tuple[str, dict[str, str]] | None:
    """The sentence of a quiet line that the catalogue does not hold, and the values of its pattern."""
    if line.severity >= WARN:
        return None
    rows = ((row, row.regex.match(line.message)) for row in rows_of("routine"))
    return next(((row.says, _named(found)) for row, found in rows if found is not None), None)


def is_understood(one: Read) -> bool:
    """Whether the line has a meaning, is in the catalogue, or was typed by a person."""
    line = one.line
    if one.is_known:
        return True
    if line.kind in (UNKNOWN, OTHERS):
        return False
    return line.kind is not None or line.template is not None or routine_of(line) is not None
