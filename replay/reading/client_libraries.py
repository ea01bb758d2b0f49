"""Lines of client libraries that are not written in Java, and of programs that use them, in Kafka's own layout: time, level,
the name of the library, text. librdkafka's have its own format, also behind the header of a binding; some libraries print
JSON or `key=value` (logfmt).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from replay.json_text import leading_json, value_of_json
from replay.reading.layouts import JSON

# librdkafka's format: syslog level, seconds since 1970, event code, client name, thread.
_RDKAFKA = re.compile(r"(?<![\w%])%(?P<level>[0-7])\|(?P<time>\d{9,10}\.\d{3})\|(?=[A-Z_]+\|)")
# Debug lines of librdkafka about a refused request, except those that every start of a group prints.
_RDKAFKA_FAILED = re.compile(
    r"ERRSEQ\||[^\n]{0,300}?current assignment of \d{1,6} partition\(s\) lost|REQERR\|[^\n]{0,300}?Request failed: (?!Local: |Success)|[^\n]{0,600}?: Broker: (?!No more messages|Group member needs|Group rebalance)|[^\n]{0,400}? response error: [A-Z]"
)
_LEVELS_OF_SYSLOG = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "WARN", "INFO", "DEBUG")
# Levels of other logging libraries.
_LEVELS = {
    **dict.fromkeys(("WARNING", "W"), "WARN"),
    **dict.fromkeys(("CRITICAL", "PANIC", "FATA", "PANI", "F"), "FATAL"),
    **dict.fromkeys(("INFORMATION", "I"), "INFO"),
    **dict.fromkeys(("ERRO", "E"), "ERROR"),
    "TRAC": "TRACE",
    "DEBU": "DEBUG",
}
# What a binding of librdkafka, or the application's own handler, prints before librdkafka's text.
_THREAD_OF_RDKAFKA = "[thrd:"
# librdkafka's text without the thread, as an application's own handler prints it.
_MESSAGE_OF_RDKAFKA = re.compile(
    r"^(?P<head>(?:[^\n]{0,160}[\s:=\"'({])?)(?P<said>(?:(?P<peer>(?:[a-z_]{2,12}://)?[\w.-]{1,255}:\d{1,5}/(?:-?\d{1,10}|bootstrap)): (?:Disconnected|Connect to |Connection setup timed out|Receive failed|Failed to resolve|SASL authentication error|SSL handshake failed|ApiVersionRequest failed|Timed out |\d{1,9} request\(s\) timed out)|\d{1,4}/\d{1,4} brokers are down)[^\n]*)$"
)
_MAY_BE_RDKAFKA = re.compile(r"brokers are down|:\d{1,5}/(?:bootstrap|-?\d{1,10}): [A-Z\d]")
_HEAD_OF_RDKAFKA = 240  # characters before librdkafka's text
_RDKAFKA_CLIENT = re.compile(r"[\w.-]{1,80}#(?:producer|consumer)-\d+")
_RDKAFKA_CODE = re.compile(
    r"\"fac\": ?\"(?P<fac>[A-Z_]{2,20})\"|[\s|](?P<last>[A-Z_]{3,20})\s+$|#(?:producer|consumer)-\d+\|(?P<after>[A-Z_]{2,20})\||(?P<before>[A-Z_]{3,20})(?:\| ?| \[?)[\w.-]{1,80}#(?:producer|consumer)-\d"
)
_RDKAFKA_DATED = re.compile(r"(\d{4}[-/]\d\d[-/]\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_RDKAFKA_LEVEL = re.compile(
    r"^\W{0,2}(?P<number>[0-7])\||\"severity\": ?(?P<severity>[0-7])\b|\b(?:(?P<fatal>emerg\w*|alert|crit\w*|fatal|ftl)|(?P<error>err|error)|(?P<warn>warn|warning|wrn)|(?P<info>notice|info|information|inf)|(?P<debug>debug|dbg|trace|verbose|vrb))\b",
    re.I,
)
_LEVELS_BY_NAME = {"fatal": 0, "error": 3, "warn": 4, "info": 6, "debug": 7}
# A text of each librdkafka message whose code says more than its level.
_RDKAFKA_CODES = {
    "brokers are down": "ERROR",
    "broker unavailable: ": "REQERR",
    "Request failed: Broker: ": "REQERR",
    "Consumer group session timed out": "SESSTMOUT",
    "Application maximum poll interval": "MAXPOLL",
    "request(s) timed out": "REQTMOUT",
    "]: Timed out ": "REQTMOUT",
    "Configuration property ": "CONFWARN",
    "Producer terminating with ": "TERMINATE",
    ": offset reset ": "OFFSET",
    "]: Offset commit ": "COMMITFAIL",
    "Fatal error: ": "FATAL",
}
_RDKAFKA_FAILS = re.compile(r"\b[Ff]ailed\b|Disconnected|timed out|authentication error")
_SARAMA_FAILS = re.compile(r"\bkafka server: |\brebalance error: |^kafka: ")
# librdkafka's messages as rsyslog's output omkafka prints them.
_OMKAFKA = re.compile(
    r"^(?:\w{3} +\d{1,2} (?P<clock>\d\d:\d\d:\d\d) )?[^\n]{0,80}?\brsyslogd(?:\[\d{1,9}\])?: (?:message repeated \d{1,9} times: \[ )?omkafka: kafka message (?P<said>[^\n]{1,2000}?)(?: \[v\d[^\]\n]{0,80}\]\]?)?\s*$"
)
# The name of each library, and the layouts in which it prints: `date` and `time`, or `clock`; `level`; `said`.
_LIBRARIES = (
    (  # Go's glog, as kafka_exporter uses it, after the container runtime's time
        "",
        re.compile(
            r"^(?:\d{4}-\d\d-\d\dT\S{8,25} )?(?P<level>[IWEF])\d{4} (?P<clock>\d\d:\d\d:\d\d)\.\d{1,9} {1,9}\d{1,9} (?=[\w.-]{0,80}kafka)[\w.-]{1,99}+:\d{1,9}\] (?P<said>[^\n]+)$"
        ),
    ),
    (  # Python's logging
        "kafka-python: ",
        re.compile(
            r"^(?:(?P<date>\d{4}-\d\d-\d\d)[_ T](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{3})\d*)?[ -]{1,3})?(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):kafka\.[\w.]{1,80}:(?P<said>.*)$"
        ),
    ),
    (  # another common format of Python's logging, after the time of a service manager
        "kafka-python: ",
        re.compile(
            r"^(?:[^|\n]{1,40}\| )?(?P<date>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d),(?P<part>\d{3}) - kafka\.[\w.]{1,80} - (?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) - (?P<said>.*)$"
        ),
    ),
    (  # its messages after an application's header, such as Airflow's
        "kafka-python: ",
        re.compile(
            r"^\[?(?:(?P<date>\d{4}-\d\d-\d\d)[_ T](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{3})\d*)?)?[^\n]{0,100}?\b(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\b(?:[^\n]{0,60}?[\s:-])?"
            r"(?P<said>(?:Connect attempt to )?<BrokerConnection [^\n]*|Probing node \S+ broker version[^\n]*|Broker version identified as [^\n]*|Set configuration api_version=[^\n]*|Broker is not v\(\d[^\n]*)$"
        ),
    ),
    (  # Go's logging
        "sarama: ",
        re.compile(
            r"^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]{1,255} [\w./@-]{1,100}(?:\[\d{1,10}\])?: )?\[(?i:sarama)\] {0,12}(?P<date>\d{4}/\d\d/\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.(?P<part>\d{3})\d*)? (?P<said>.*)$"
        ),
    ),
    (  # its messages after the header of a program that uses it, such as Filebeat
        "sarama: ",
        re.compile(
            r"^\[?(?P<date>\d{4}[-/]\d\d[-/]\d\d)[T ](?P<time>\d\d:\d\d:\d\d)[^\n]{0,100}?[\s:\]](?P<said>(?:client/(?:metadata|brokers|coordinator) |(?:Connected to|Closed connection to) broker (?:at )?[\w.-]{1,255}:\d|producer/(?:broker|leader)/|consumer/broker/\d)[^\n]*)$"
        ),
    ),
    (  # a program in Go about Kafka, as logrus prints it to a terminal: seconds since the start for the time
        "",
        re.compile(
            r"^(?P<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,9}\] (?=[^\n]{0,4000}?[kK]afka)(?P<said>[^\n]{1,4000})"
        ),
    ),
    (  # ClickHouse's engine of Kafka tables
        "",
        re.compile(
            r"^(?P<date>\d{4}\.\d\d\.\d\d) (?P<time>\d\d:\d\d:\d\d)\.(?P<part>\d{3})\d* \[ \d{1,9} \] \{[^}\n]{0,80}\} <(?P<level>\w{4,11})> (?P<said>(?=[^\n]{0,2000}[kK]afka)[^\n]+)$"
        ),
    ),
    (  # the TLS sidecar of Strimzi up to 0.21: date, level of syslog, process and thread, text
        "stunnel: ",
        re.compile(
            r"^(?P<date>\d{4}\.\d\d\.\d\d) (?P<time>\d\d:\d\d:\d\d) LOG(?P<level>[0-7])\[[^\]\n]{1,60}\]: (?P<said>[^\n]*)$"
        ),
    ),
    (  # Fluent Bit's line about an undelivered message
        "fluent-bit: ",
        re.compile(
            r"^\[(?P<date>\d{4}/\d\d/\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})?\] \[ ?(?P<level>warn|error)\] +\[output:kafka:[^\]\n]{1,100}\] (?P<said>message delivery failed: [^\n]{1,2000})$"
        ),
    ),
)
# Records of fields: franz-go, Sarama, kafkajs, and any program whose error comes from a client.
_OF_FRANZ = re.compile(
    r"unable to open connection to broker|read from broker errored|metadata update triggered|heartbeat errored|join and sync loop errored|(?:read|wrote) [A-Z]\w{2,40} v\d{1,2}$|heartbeat(?:ing| complete)$"
)
_OF_SARAMA = re.compile(r"(?:client|producer|consumer)/|(?:[^\n]{0,120}?: )?kafka(?: server)?: ")
# How franz-go and Sarama print Kafka's errors.
_ERROR_IN_A_FIELD = re.compile(r"[A-Z]{2,}(?:_[A-Z]+)+: |kafka(?: server)?: ")
_OF_KAFKAJS = re.compile(r"\[(?:Connection|Runner|ConsumerGroup|Consumer|Producer|BrokerPool|Broker|Cluster)\] ")
# What an application's error contains if it comes from a Kafka client.
_ABOUT_KAFKA = re.compile(r"(?i:kafka|kraft)|\bBroker: |\bLocal: |\b[A-Z]{2,20}_[A-Z_]{3,60}: ")
_MESSAGES = ("message", "msg")
_ERRORS = ("error", "err", "exception", "cause", "reason", "meta", "errorMessage", "error_message", "stack")
_OF_AN_ERROR = ("message", "msg", "str", "name")
_OF_FRANZ_IN_FIELDS = ("broker", "addr", "group", "why", "err", "error")
_PAIR = re.compile(
    r'(?<!\S)(?P<name>[A-Za-z_@.]{1,40})=(?:"(?P<quoted>(?:[^"\\\n]|\\.){0,4000})"?|(?P<bare>[^\s"]{0,400}))'
)
_LOGFMT = re.compile(r"^(?:\w{1,20}=\S[^\n]{0,200} )?(?:level|lvl)=[\"\w]{1,12} ")
_STAMP_IN_A_FIELD = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_STAMPS = ("timestamp", "ts", "time", "@timestamp", "datetime")
_OF_JAVA = (*JSON.stack, *JSON.exception)  # read with the layout of these fields


def in_kafkas_layout(row: str) -> str | None:
    """A line of a client library in Kafka's own layout, with the library's name before the text; None for another line."""
    for name, layout in _LIBRARIES:
        if (found := layout.match(row)) is not None:
            return _printed(name, found.groupdict(""))
    if (found := _OMKAFKA.match(row)) is not None:
        code = "FAIL" if "Disconnected" in found["said"] else _code_of_librdkafka("", found["said"])
        return f"{found['clock'] or ''} WARN %4|{code}|rsyslog| [thrd:rsyslog]: {found['said']}"
    if row.startswith("{") and _THREAD_OF_RDKAFKA in row:
        return _of_librdkafka_in_json(row)
    return _line_of_fields(row)


def of_librdkafka(row: str) -> str | None:
    """A line in librdkafka's own format in that of Kafka; None for another line."""
    found = _RDKAFKA.search(row, 0, _HEAD_OF_RDKAFKA)
    if found is None:
        return None
    stamp = datetime.fromtimestamp(float(found["time"]), UTC)
    failed = _RDKAFKA_FAILED.match(row, found.end())
    level = "WARN" if failed and found["level"] in "67" else _LEVELS_OF_SYSLOG[int(found["level"])]
    when = f"[{stamp:%Y-%m-%d %H:%M:%S},{stamp.microsecond // 1000:03}]"
    return f"{when} {level} %{found['level']}|{row[found.end() :]}"


def _printed(name: str, groups: Mapping[str, str]) -> str:
    text = groups["said"].replace("(unregistered)", "unregistered")
    level = groups.get("level") or ("WARN" if _SARAMA_FAILS.search(text) else "INFO")
    if level.isdecimal():
        level = "INFO" if level == "5" else _LEVELS_OF_SYSLOG[int(level)]  # a notice is not a warning
    clock = f"{groups['clock']} " if groups.get("clock") else ""
    when = f"[{_stamp(groups['date'], groups['time'], groups.get('part'))}] " if groups.get("date") else clock
    return f"{when}{level_named(level)} {name}{text}"


def level_named(name: str) -> str:
    """A level of log4j for that of another logging library."""
    return _LEVELS.get(name.upper(), name.upper())


def _stamp(date: str, time: str, millis: str | None) -> str:
    return f"{date.replace('/', '-').replace('.', '-')} {time},{millis or '000'}"


def with_librdkafkas_format(rows: Sequence[str]) -> list[str]:
    """Rows with each librdkafka line in librdkafka's format; a row below a wrapped header stays unchanged."""
    rows = [_with_its_thread(row) if _MAY_BE_RDKAFKA.search(row) else row for row in rows]
    before = ["", *rows]
    return [
        _behind_a_binding(row)
        if _THREAD_OF_RDKAFKA in row[:_HEAD_OF_RDKAFKA]
        and not row.startswith("{")
        and _RDKAFKA.search(row[:_HEAD_OF_RDKAFKA]) is None
        and (_RDKAFKA.search(before[at]) is None or _THREAD_OF_RDKAFKA in before[at])
        else row
        for at, row in enumerate(rows)
    ]


def _with_its_thread(row: str) -> str:
    """A librdkafka message without a thread, with the thread of the broker that it names."""
    if _THREAD_OF_RDKAFKA in row or row.startswith("{") or "Local: " in row or "omkafka: " in row:
        return row
    found = _MESSAGE_OF_RDKAFKA.match(row)
    return row if found is None else f"{found['head']}{_THREAD_OF_RDKAFKA}{found['peer'] or 'main'}]: {found['said']}"


def _behind_a_binding(row: str) -> str:
    """A librdkafka line that a binding or another program (.NET, Fluent Bit) prints after its own header, in
    librdkafka's format.
    """
    head, thread, rest = row.partition(_THREAD_OF_RDKAFKA)
    message = thread + rest.rstrip(' "}\t')
    code = _code_of_librdkafka(head, message)
    shown = _RDKAFKA_LEVEL.search(head)
    if shown is None:
        fails = code in _RDKAFKA_CODES.values() or _RDKAFKA_FAILS.search(message) is not None
        severity = 4 if code == "CONFWARN" else 3 if fails else 7
    else:
        number = shown["number"] or shown["severity"]
        severity = int(number) if number else _LEVELS_BY_NAME[str(shown.lastgroup)]
    is_refused = code == "REQERR" or _RDKAFKA_FAILED.search(message) is not None
    level = "WARN" if is_refused and severity > 5 else _LEVELS_OF_SYSLOG[severity]
    client = _RDKAFKA_CLIENT.search(head)
    dated = _RDKAFKA_DATED.search(head)
    when = f"[{_stamp(*dated.groups())}] " if dated else ""
    return f"{when}{level} %{severity}|{code}|{client[0] if client else 'rdkafka'}| {message}"


def _of_librdkafka_in_json(row: str) -> str | None:
    """A JSON record whose message is a librdkafka line, as fluentd prints it."""
    held = value_of_json(row)
    if not isinstance(held, dict):
        return None
    message = next((text for name, text in held.items() if name in ("message", "msg", "log")), None)
    if not isinstance(message, str) or _THREAD_OF_RDKAFKA not in message[:_HEAD_OF_RDKAFKA]:
        return None
    return _behind_a_binding(f"{held.get('time', held.get('timestamp', ''))} {held.get('level', '')} {message}")


def _code_of_librdkafka(head: str, message: str) -> str:
    """The code of a librdkafka message, from its text or its header."""
    if by_text := next((code for text, code in _RDKAFKA_CODES.items() if text in message), None):
        return by_text
    found = _RDKAFKA_CODE.search(head)
    code = (found["after"] or found["before"] or found["fac"] or found["last"]) if found else "ERROR"
    if _RDKAFKA_LEVEL.fullmatch(code):  # a level, not a code
        return "FAIL" if _RDKAFKA_FAILS.search(message) else "LOG"
    return str(code)


def _line_of_fields(row: str) -> str | None:
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
    stamp = next((found for name in _STAMPS if (found := _STAMP_IN_A_FIELD.match(str(held.get(name, ""))))), None)
    when = f"[{_stamp(*stamp.groups())}] " if stamp else ""
    level = str(held.get("level", held.get("lvl", held.get("severity", "INFO")))).upper()
    return f"{when}{level_named(level)} {whole}".replace("\n", " ")


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
