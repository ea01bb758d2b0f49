"""Splits a pasted text into the lines of Kafka's own layouts and the lines of other programs between them: the
kernel, systemd, Kubernetes, a container runtime and Java.

Each line is first tested for its own head; without one, it belongs to the record above it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from replay.catalogue.server_jvm import JVM_MESSAGES, SHELL_MESSAGE
from replay.json_text import value_of_json
from replay.reading.client_fields import line_of_fields
from replay.reading.container_names import node_of_name
from replay.reading.ended_processes import CONTEXT, ended_processes
from replay.reading.host_logs import host_line, host_line_template, is_host_line
from replay.reading.kubernetes import EVENTS_HEAD, kind_of_reason
from replay.reading.layouts import STAMPED, cut_at_level
from replay.reading.stamps import datetime_of, micros_of
from replay.reading.wrapped import is_known, rejoined
from replay.reading.wrappers import WRAPPERS

# The kinds of lines that are not Kafka's: their own kinds, or one of these.
TYPED, SETTING, UNKNOWN, OTHERS = "typed_by_a_person", "setting", "unknown", "another_program"

_STAMPED = re.compile(STAMPED)
_GC = re.compile(
    r"^\[(?:(?P<date>\d{4}-\d\d-\d\d)T(?P<time>\d\d:\d\d:\d\d[.,]\d+)(?P<zone>[+-]\d{4}|Z)?\]|[\d.,]+m?s\])(?:\[[^\]]*\])*?\[(?:gc|safepoint)[^\]]*\]"
)
_KAFKAS_STAMP = re.compile(r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?P<zone> ?(?:Z|[+-]\d\d:?\d\d))?\]? ")
_OLD_GC = re.compile(
    r"^(?:(?P<date>\d{4}-\d\d-\d\d)T(?P<time>\d\d:\d\d:\d\d[.,]\d+)(?P<zone>[+-]\d{4})?: )?\d+[.,]\d+: (?:\[(?:Full )?GC|Total time for which|#\d+: \[)"
)
# Rows below a G1 pause that show how long each phase took.
_OF_A_PAUSE = re.compile(
    r"^\s*\[(?:Parallel Time|GC Worker|Ext Root Scanning|Update RS|Processed Buffers|Scan RS|Code Root|Object Copy|Termination|Clear CT|Other|Choose CSet|Ref (?:Proc|Enq)|Redirty Cards|Humongous|Free CSet|Eden|Times|String Dedup|Evacuation Failure)\b"
)
_PAUSE = re.compile(
    r"(?<!\d)(?:(?P<before>\d+)(?P<unit>[KMG])->(?P<after>\d+)[KMG]\((?P<heap>\d+)[KMG]\))?[,; ]{0,20}(?P<pause>\d+[.,]\d+) ?(?P<in>ms|secs)\]?\s*$"
)
_DESCRIBED_EVENT = re.compile(
    r"^\s*(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<age>(?:\d+[ydhms])+(?: \(x\d+ over [^)]*\))?|<\w+>)\s+(?P<by>[\w-]+(?:, \S+)?)\s+(?P<message>\S.*)$"
)
_LISTED_EVENT = re.compile(
    r"^(?:[\w-]+\s+)?(?P<age>(?:\d+[ydhms])+)(?: \(x\d+ over [^)]*\))?\s+(?P<type>Normal|Warning)\s+(?P<reason>[A-Z]\w+)\s+(?P<object>\w+/\S+)\s+(?P<message>\S.*)$"
)
_HEAD_OF_EVENTS = re.compile(rf"^\s*Events:\s*$|^\s*(?:Type\s+Reason\s+Age\b|-{{3,}}(?:\s+-{{2,}})*\s*$)|{EVENTS_HEAD}")
_OF_A_POD = re.compile(
    r"^\s+(?:State|Last State|Reason|Exit Code|Signal|Started|Finished|Ready|Restart Count|Message|Limits|Requests|memory|cpu|Image|Liveness|Readiness):\s++(?P<value>.*)$"
)
# A kill in the short form in which people paste it.
_CUT_KILL = re.compile(
    r"(?:Memory cgroup out of memory|Out of memory): Kill(?:ed)? process (?P<pid>\d+) \((?P<process>[^)]*)\)(?:.*?anon-rss:(?P<anon_rss>\d+)kB)?"
)
_KLOG = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ [\w.-]+:\d+\] ")
_LOGFMT = re.compile(r'^time="[^"]+" level=(?P<level>\w+) msg=')
_CRASH = re.compile(r"^#(?:\s|$)")
_SIGNAL = re.compile(
    r"^#\s+(?:(?P<signal>(?:SIG|EXCEPTION_)\w+) \(0x[0-9a-f]+\)|(?P<error>Internal Error|Out of Memory Error) \()"
)
_LINES_BEFORE = 6  # Java warns before its report
# Java's warnings before and after its crash report; a refused commit of memory alone shows the same.
_JAVA_WARNS = re.compile(
    r"^(?:(?:Java HotSpot\(TM\)|OpenJDK) .{0,40}VM warning: (?:Attempt to \w{1,12} stack guard pages failed|INFO: os::commit_memory\(0x[0-9a-f]{1,16}, (?P<bytes>\d{1,18}), \d\) failed)|\[thread \d{1,20} also had an error\])"
)
_JOINED_ROWS = re.compile(r" # (?:# )?")
_FRAME_OF_CRASH = re.compile(r"^#\s+(?P<sort>[CJVvj])\s+\[?(?P<frame>[^\]\n]+)")
_PID = re.compile(r"\bpid=(?P<pid>\d+)")
_CRASH_BEGINS = re.compile(
    r"^#\s+(?:# )?(?:A fatal error has been detected|There is insufficient memory for the Java|(?:SIG|EXCEPTION_)\w+ \(0x|Problematic frame)"
)
_PROMPT = re.compile(
    r"^(?:(?:sudo |nohup |exec )?(?:[\w.~-]*/){0,12}(?:kafka|zookeeper|connect)-[\w-]{1,60}(?:\.sh|\.bat)?(?= (?:--?[a-z]|[\w./-]{1,200}\.properties))|\[?[\w.-]+@[\w.-]+[^$#%\n]{0,80}[$#%]|(?:PS )?[A-Z]:\\[^>]*>|[➜❯λ]|\$|sh-[\d.]+[$#]|bash-[\d.]+[$#])(?:\s|$)(?!\s*\d{4}-)"
)
_NOTHING = re.compile(
    r"^[\s`~=_*.·…\[\](){}<>|#+-]*$|^(?:g?make(?:\[\d\])?: \*\*\* )|^\s*(?:\[?(?:snip|cut|skipping|truncated)\b[^\n]{0,40}|==> .* <==)\s*$"
)
# What somebody writes between lines: words, no marks of a log, and I, we, a question, or what follows.
_REMARK = re.compile(
    r"^(?:\d{1,2}[.)] |[-*] )?(?=[^\n]*(?:\b(?:I|I'm|I've|we|We|my|My|our|Our|me|us)(?=[ ,.!?]|$)|\b(?:Thanks|thanks|Hi|Hello|anyone|Anyone)\b|\?\s*$|\b(?:following|below|logs?|gotten|got|shows?)\b[^.:]{0,40}:\s*$|\bfollowing (?:logs?|errors?|messages?|exceptions?|output)\b|^(?:and|but|also|then|so|when) ))"
    r"(?![^\n]*(?:[A-Za-z]Exception|[a-z]Error\b|\b(?:ERROR|WARN|FATAL|INFO)\b|exited|refused|denied))[A-Za-z][^\n\[\]{}|=<>\t]{8,400}$"
)
_SETTING = re.compile(r"^\s*(?:#\s*)?[a-z][\w-]*(?:\.[\w-]+)+\s*=\s?.*$")
_TRACE = re.compile(
    r"\s*(?:at [\w$.<>/@-]+\(|Caused by: |Suppressed: |\.\.\. \d+ (?:more|common)|(?:Exception in thread \"[^\"]*\" )?[\w.$]{0,300}[A-Z][\w$]{0,150}(?:Exception|Error|Throwable)\b)"
)
_OF_A_SERVICE = re.compile(
    r"^(?:kafka|java|run-kafka|start-kafka|kafka-server-start|zkServer|zookeeper)[\w.-]*$|kafka", re.I
)
_QUOTED = re.compile(r"^(?:> ?)+")
# What log viewers print before the second and later lines of a record.
_BEFORE_A_FRAME = re.compile(
    r"^\s{0,8}\| {1,4}(?=(?:[a-z]\w{0,40}\.){2,12}[A-Z]\w{0,80}(?:Exception|Error)\b|at [\w.$/]{3,200}\(|Caused by: )"
)
_CRI = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) [FP] ?")
# librdkafka's format: syslog level, seconds since 1970, event code, client name, thread.
_RDKAFKA = re.compile(r"(?<![\w%])%(?P<level>[0-7])\|(?P<time>\d{9,10}\.\d{3})\|(?=[A-Z_]+\|)")
# Debug lines of librdkafka about a refused request, except those that every start of a group prints.
_RDKAFKA_FAILED = re.compile(
    r"ERRSEQ\||[^\n]{0,300}?current assignment of \d{1,6} partition\(s\) lost|REQERR\|[^\n]{0,300}?Request failed: (?!Local: |Success)|[^\n]{0,600}?: Broker: (?!No more messages|Group member needs|Group rebalance)|[^\n]{0,400}? response error: [A-Z]"
)
# A client's line after a header in any layout; what log stores print before a JSON record.
_BEHIND_A_HEADER = re.compile(
    r"^[^\n]{0,160}?\b(?P<level>TRACE|DEBUG|INFO|WARN|ERROR|FATAL|(?<=\[)(?:Trace|Debug|Information|Info|Warning|Error|Critical|Fatal)(?=\]))\b[^\n]{0,200}?(?P<said>(?:\[(?:Consumer|Producer|AdminClient|Worker) (?:clientId|instanceId)=|(?:global-)?stream-(?:thread|client) \[)[^\n]*)$"
)
_DATED = re.compile(r"^\W{0,2}(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[.,](\d{3}))?")
_CELL_OF_CSV = re.compile(
    r'^(?:(?:"[^"\n]{0,200}"|[^",\n]{0,200}),){0,12}"(?P<cell>\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d[.,]\d{3}[^"\n]{0,40}\b(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b[^\n]*)$'
)
_END_OF_CELL = re.compile(r'(?P<cell>(?:[^"\n]|""){0,20000}+)"(?:,(?:"(?:[^"\n]|""){0,200}"|[^",\n]{0,200})){0,30}$')
_NAMES_OF_CSV = re.compile(r'"?[@_]?[\w. ]{1,40}"?(?:,"?[@_]?[\w. ]{1,40}"?){1,30}$')
_CLOCK = re.compile(r"^\W{0,2}(\d\d:\d\d:\d\d)(?![\d:])")
_LEVEL_OF_OTHERS = re.compile(r"\[(?:Trace|Debug|Information|Info|Warning|Error|Critical|Fatal)\] ")
_LEVEL_WITHIN = 80  # characters from the start of a row
_LEVELS_OF_OTHERS = {"WARNING": "WARN", "INFORMATION": "INFO", "CRITICAL": "FATAL"}
_BEFORE_JSON = re.compile(
    r'^(?:\d{10,19}|[\w./-]{1,120}|\[[\w./ -]{1,120}\]|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,120})(?: ?\|)?[ \t]{1,8}(?=\{"[@\w.-]{1,60}" ?:)'
)
_LEVELS_OF_SYSLOG = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "WARN", "INFO", "DEBUG")
# kafka-python's format (Python's logging), and Sarama's (Go's logging).
_KAFKA_PYTHON = re.compile(
    r"^(?:(?P<date>\d{4}-\d\d-\d\d)[_ T](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{3})\d*)?[ -]{1,3})?(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):kafka\.[\w.]{1,80}:(?P<said>.*)$"
)
# The same with another common format of Python's logging, after the time of a service manager.
_PYTHON_LOGGING = re.compile(
    r"^(?:[^|\n]{1,40}\| )?(?P<date>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d),(?P<part>\d{3}) - kafka\.[\w.]{1,80} - (?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL) - (?P<said>.*)$"
)
# Its messages after an application's header, such as Airflow's.
_OF_KAFKA_PYTHON = re.compile(
    r"^\[?(?:(?P<date>\d{4}-\d\d-\d\d)[_ T](?P<time>\d\d:\d\d:\d\d)(?:[.,](?P<part>\d{3})\d*)?)?[^\n]{0,100}?\b(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL)\b(?:[^\n]{0,60}?[\s:-])?"
    r"(?P<said>(?:Connect attempt to )?<BrokerConnection [^\n]*|Probing node \S+ broker version[^\n]*|Broker version identified as [^\n]*|Set configuration api_version=[^\n]*|Broker is not v\(\d[^\n]*)$"
)
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
# Stunnel, the TLS sidecar of Strimzi up to 0.21: date, level of syslog, process and thread, text.
_STUNNEL = re.compile(
    r"(?P<date>\d{4}\.\d\d\.\d\d) (?P<time>\d\d:\d\d:\d\d) LOG(?P<level>[0-7])\[[^\]\n]{1,60}\]: (?P<message>[^\n]*)$"
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
# Go's glog, as kafka_exporter uses it, after the container runtime's time.
_KLOG_OF_A_CLIENT = re.compile(
    r"^(?:\d{4}-\d\d-\d\dT\S{8,25} )?(?P<level>[IWEF])\d{4} (?P<clock>\d\d:\d\d:\d\d)\.\d{1,9} {1,9}\d{1,9} (?=[\w.-]{0,80}kafka)[\w.-]{1,99}+:\d{1,9}\] (?P<said>[^\n]+)$"
)
_LEVELS_OF_KLOG = {"I": "INFO", "W": "WARN", "E": "ERROR", "F": "FATAL"}
# ClickHouse's log, for its engine of Kafka tables.
_CLICKHOUSE = re.compile(
    r"^(?P<date>\d{4}\.\d\d\.\d\d) (?P<time>\d\d:\d\d:\d\d)\.(?P<part>\d{3})\d* \[ \d{1,9} \] \{[^}\n]{0,80}\} <(?P<level>\w{4,11})> (?P<said>(?=[^\n]{0,2000}[kK]afka)[^\n]+)$"
)
_SARAMA = re.compile(
    r"^\[(?i:sarama)\] {0,12}(?P<date>\d{4}/\d\d/\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.(?P<part>\d{3})\d*)? (?P<said>.*)$"
)
# Its messages after the header of a program that uses it, such as Filebeat.
_OF_SARAMA = re.compile(
    r"^\[?(?P<date>\d{4}[-/]\d\d[-/]\d\d)[T ](?P<time>\d\d:\d\d:\d\d)[^\n]{0,100}?[\s:\]](?P<said>(?:client/(?:metadata|brokers|coordinator) |(?:Connected to|Closed connection to) broker (?:at )?[\w.-]{1,255}:\d|producer/(?:broker|leader)/|consumer/broker/\d)[^\n]*)$"
)
# A line of a program in Go about Kafka, as logrus prints it to a terminal: seconds since the start for the time.
_LOGRUS = re.compile(
    r"^(?P<level>TRAC|DEBU|INFO|WARN|ERRO|FATA|PANI)\[\d{4,9}\] (?=[^\n]{0,4000}?[kK]afka)(?P<said>[^\n]{1,4000})"
)
_LEVELS_OF_LOGRUS = {"TRAC": "TRACE", "DEBU": "DEBUG", "ERRO": "ERROR", "FATA": "FATAL", "PANI": "FATAL"}
_SARAMA_FAILS = re.compile(r"\bkafka server: |\brebalance error: |^kafka: ")
# librdkafka's messages as rsyslog's output omkafka prints them, and Fluent Bit's line about an undelivered message.
_OMKAFKA = re.compile(
    r"^(?:\w{3} +\d{1,2} (?P<clock>\d\d:\d\d:\d\d) )?[^\n]{0,80}?\brsyslogd(?:\[\d{1,9}\])?: (?:message repeated \d{1,9} times: \[ )?omkafka: kafka message (?P<said>[^\n]{1,2000}?)(?: \[v\d[^\]\n]{0,80}\]\]?)?\s*$"
)
_FLUENT_BIT = re.compile(
    r"^\[(?P<date>\d{4}/\d\d/\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d{1,9})?\] \[ ?(?P<level>warn|error)\] +\[output:kafka:[^\]\n]{1,100}\] (?P<said>message delivery failed: [^\n]{1,2000})$"
)
_MOST_OF_JSON = 12  # rows of one broken record
# Output of a shell or its tools, and an authorizer line without its beginning.
_OF_A_SHELL = re.compile(
    r"^(?:The input line is too long\.?\s*$|(?:mkdir|touch|chown|chmod|cp|mv|ln|rm|sed): (?:cannot|can't|couldn't|changing) "
    r"|[^\s:]{1,200}: line \d{1,5}: (?:exec: )?[^\n:]{1,300}: (?:No such file or directory|[Pp]ermission denied|command not found|not found|Is a directory|Read-only file system|No space left on device|[Cc]annot execute)"
    r"|\[[\d.,]{1,12}s\]\[error *\]\[|Invalid -Xlog option '|'[^'\n]{1,80}' is not recognized as an internal or external command"
    r"|The filename, directory name, or volume label syntax is incorrect|The system cannot find the path specified"
    r"|Error executing '[\w.-]{1,60}': |qemu: uncaught target signal \d|[^\n]{0,200}exec format error\s*$)"
)
# Windows's text about a file, in its own language, above the frames of an exception whose class was not pasted.
_FILE_OF_WINDOWS = re.compile(r"^[A-Z]:\\[^\n:]{1,400}: \S")
_THROWN_BY_WINDOWS = re.compile(r"^\s{0,40}at (?:java\.base/)?sun\.nio\.fs\.WindowsException\.")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_HEAD_OF_JUL = re.compile(
    rf"^(?P<month>{'|'.join(_MONTHS)}) (?P<day>\d{{1,2}}), (?P<year>\d{{4}}),? (?P<hour>\d{{1,2}}):(?P<rest>\d\d:\d\d)\s(?P<half>AM|PM) (?P<logger>[\w.$]{{3,200}}) [\w$<>]{{1,100}}\s*$"
)
_LEVEL_OF_JUL = re.compile(r"^(?P<level>SEVERE|WARNING|INFO|CONFIG|FINE|FINER|FINEST): (?P<said>\S[^\n]*)$")
_LEVELS_OF_JUL = {
    "SEVERE": "ERROR",
    "WARNING": "WARN",
    "INFO": "INFO",
    "CONFIG": "INFO",
    "FINE": "DEBUG",
    "FINER": "TRACE",
    "FINEST": "TRACE",
}
_SAYS_AN_ERROR = re.compile(r"(?:Error|ERROR|Fatal|FATAL|Failed|FAILED|Cannot|Could not|Unable to)\b")
# Output of images' start scripts before Kafka starts.
_OF_A_START = re.compile(
    r"^(?:===> |uid=\d+\(|Running in (?:KRaft|Zookeeper) mode|Preparing (?:trust|key)store\b|Certificate was added to keystore|Looking for the right CA|Found the right CA|STRIMZI_BROKER_ID=|Starting Kafka with configuration:|Adding \S{1,200} to truststore )"
)
# A probe from a pod's events, without the event columns.
_PROBE = re.compile(r"^(?P<probe>Liveness|Readiness|Startup) probe (?:failed|errored): (?P<said>\S[^\n]*)")
_CUT_DENIAL = re.compile(r"^ ?User:\S+ is [Dd]enied [Oo]peration = \w+ from host = ")
_LOGGER_BEHIND = re.compile(r"\([A-Za-z_][\w.$]*(?::\d{1,6})?\)\s*$")
_OUTPUT_OF_A_PROBE = 300  # characters of a probe's output
_LABELS = [wrapper for wrapper in WRAPPERS if wrapper.name in ("compose", "kubectl", "stern")]
_LOOKED_AT = 20_000  # lines; longer pastes are only searched for the formats of host logs


@dataclass(frozen=True)
class Apart:
    """A line that is not one of Kafka's own records: its `kind`, the program that wrote it (`writer`), and its fields."""

    number: int
    kind: str
    message: str
    writer: str
    level: str = "INFO"
    template: str | None = None
    ts: datetime | None = None
    fields: Mapping[str, str] = field(default_factory=dict)
    node: int | None = None


def parted(text: str) -> tuple[str, list[Apart]]:
    """`text` reduced to Kafka's own records, each on as few lines as Kafka printed, and the other lines. Line
    numbers do not change.
    """
    rows = text.split("\n")
    if len(rows) > _LOOKED_AT:
        return text, []
    rows = _with_whole_json(_without_indent(_unquoted(_from_csv(rows))))
    rows = _without_labels([_bare(row) for row in _with_their_threads(rows)])
    rows = _of_java_util_logging([_without_backticks(row) for row in rows])
    rows = [f"ERROR {row}" if _OF_A_SHELL.match(row) else row for row in rows]
    rows = [
        f"ERROR java.nio.file.FileSystemException: {row}"
        if _FILE_OF_WINDOWS.match(row) and _THROWN_BY_WINDOWS.match(below)
        else row
        for row, below in zip(rows, [*rows[1:], ""], strict=True)
    ]
    as_of = _latest(rows)
    apart = _lines_apart(rows, as_of, _have_local_times(rows))
    kept = ["" if at in apart else row for at, row in enumerate(rows)]
    begins = [at in apart or _begins(row) for at, row in enumerate(rows)]
    whole = rejoined(kept, begins)
    apart.update(_left_over(whole, apart))
    return "\n".join("" if at in apart else row for at, row in enumerate(whole)), [apart[at] for at in sorted(apart)]


def _without_backticks(row: str) -> str:
    """A row without Markdown's code marks."""
    return row.strip("`") if row[:1] == "`" or row[-1:] == "`" else row


def _of_java_util_logging(rows: Sequence[str]) -> list[str]:
    """Rows in which each java.util.logging record (which prints time and logger on a separate row) is one row."""
    out = list(rows)
    for at, (head, row) in enumerate(pairwise(rows)):
        found, leveled = _HEAD_OF_JUL.match(head), _LEVEL_OF_JUL.match(row)
        if found is None or leveled is None:
            continue
        hour = int(found["hour"]) % 12 + (12 if found["half"] == "PM" else 0)
        month = _MONTHS.index(found["month"]) + 1
        stamp = f"[{found['year']}-{month:02}-{int(found['day']):02} {hour:02}:{found['rest']},000]"
        out[at : at + 2] = ["", f"{stamp} {_LEVELS_OF_JUL[leveled['level']]} {leveled['said']} ({found['logger']})"]
    return out


def _bare(row: str) -> str:
    """A row without what a container runtime or the journal adds around a Kafka line."""
    row = _BEFORE_JSON.sub("", row)
    if row.startswith('{"log":'):
        held = value_of_json(row)
        return str(held["log"]).rstrip("\n") if isinstance(held, dict) and isinstance(held.get("log"), str) else row
    row = _BEFORE_A_FRAME.sub("", _CRI.sub("", row))
    if found := _RDKAFKA.search(row, 0, _HEAD_OF_RDKAFKA):
        stamp = datetime.fromtimestamp(float(found["time"]), UTC)
        failed = _RDKAFKA_FAILED.match(row, found.end())
        level = "WARN" if failed and found["level"] in "67" else _LEVELS_OF_SYSLOG[int(found["level"])]
        return (
            f"[{stamp:%Y-%m-%d %H:%M:%S},{stamp.microsecond // 1000:03}] {level} %{found['level']}|{row[found.end() :]}"
        )
    if "kafka" in row and (found := _KLOG_OF_A_CLIENT.match(row)) is not None:
        return f"{found['clock']} {_LEVELS_OF_KLOG[found['level']]} {found['said']}"
    if (found := _behind_a_header(row)) is not None:
        dated = _DATED.match(row)
        level = _LEVELS_OF_OTHERS.get(found["level"].upper(), found["level"].upper())
        clock = _CLOCK.match(row)
        when = f"[{dated[1]} {dated[2]},{dated[3] or '000'}] " if dated else f"{clock[1]} " if clock else ""
        return f"{when}{level} {found['said']}"
    if _CUT_DENIAL.match(row):
        return f"INFO Principal = {row.lstrip()}"
    if (library := _line_of_a_library(row)) is not None:
        return library
    parsed = None if row[:1] in "[\t{ " or is_host_line(row) else host_line(row)
    return parsed.message if parsed is not None and parsed.teller and _OF_A_SERVICE.search(parsed.teller) else row


def _of_librdkafka(row: str) -> str:
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
    when = f"[{dated[1].replace('/', '-')} {dated[2]},{dated[3] or '000'}] " if dated else ""
    return f"{when}{level} %{severity}|{code}|{client[0] if client else 'rdkafka'}| {message}"


def _of_librdkafka_in_json(row: str) -> str | None:
    """A JSON record whose message is a librdkafka line, as fluentd prints it."""
    held = value_of_json(row)
    if not isinstance(held, dict):
        return None
    message = next((text for name, text in held.items() if name in ("message", "msg", "log")), None)
    if not isinstance(message, str) or _THREAD_OF_RDKAFKA not in message[:_HEAD_OF_RDKAFKA]:
        return None
    return _of_librdkafka(f"{held.get('time', held.get('timestamp', ''))} {held.get('level', '')} {message}")


def _code_of_librdkafka(head: str, message: str) -> str:
    """The code of a librdkafka message, from its text or its header."""
    if by_text := next((code for text, code in _RDKAFKA_CODES.items() if text in message), None):
        return by_text
    found = _RDKAFKA_CODE.search(head)
    code = (found["after"] or found["before"] or found["fac"] or found["last"]) if found else "ERROR"
    if _RDKAFKA_LEVEL.fullmatch(code):  # a level, not a code
        return "FAIL" if _RDKAFKA_FAILS.search(message) else "LOG"
    return str(code)


def _with_their_threads(rows: Sequence[str]) -> list[str]:
    """Rows with each librdkafka line in librdkafka's format; a row below a wrapped header stays unchanged."""
    rows = [_with_its_thread(row) if _MAY_BE_RDKAFKA.search(row) else row for row in rows]
    before = ["", *rows]
    return [
        _of_librdkafka(row)
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


def _behind_a_header(row: str) -> re.Match[str] | None:
    """The match of a client's message after a header in an unknown layout."""
    if "clientId=" not in row and "stream-" not in row:
        return None
    is_dated = _STAMPED.match(row) is not None and _LEVEL_OF_OTHERS.search(row[:_LEVEL_WITHIN]) is None
    known = is_dated or cut_at_level(row) is not None or row.startswith("{")
    return None if known else _BEHIND_A_HEADER.match(row)


def _line_of_a_library(row: str) -> str | None:
    """A line of a client library not written in Java, in Kafka's own layout, with the library's name before the
    text.
    """
    if found := _KAFKA_PYTHON.match(row) or _PYTHON_LOGGING.match(row) or _OF_KAFKA_PYTHON.match(row):
        level = {"WARNING": "WARN", "CRITICAL": "FATAL"}.get(found["level"], found["level"])
        stamp = f"[{found['date']} {found['time']},{found['part'] or '000'}] " if found["date"] else ""
        return f"{stamp}{level} kafka-python: {found['said']}"
    if found := _SARAMA.match(row) or _OF_SARAMA.match(row):
        date, part = found["date"].replace("/", "-"), found.groupdict().get("part") or "000"
        level = "WARN" if _SARAMA_FAILS.search(found["said"]) else "INFO"
        message = found["said"].replace("(unregistered)", "unregistered")
        return f"[{date} {found['time']},{part}] {level} sarama: {message}"
    if (found := _LOGRUS.match(row)) is not None:
        return f"{_LEVELS_OF_LOGRUS.get(found['level'], found['level'])} {found['said']}"
    if (found := _CLICKHOUSE.match(row)) is not None:
        level = _LEVELS_OF_OTHERS.get(found["level"].upper(), found["level"].upper())
        return f"[{found['date'].replace('.', '-')} {found['time']},{found['part']}] {level} {found['said']}"
    if (found := _OMKAFKA.match(row)) is not None:
        code = _code_of_librdkafka("", found["said"])
        return f"{found['clock'] or ''} WARN %4|{'FAIL' if 'Disconnected' in found['said'] else code}|rsyslog| [thrd:rsyslog]: {found['said']}"
    if (found := _STUNNEL.match(row)) is not None:
        stamp = f"[{found['date'].replace('.', '-')} {found['time']},000]"
        level = "INFO" if found["level"] == "5" else _LEVELS_OF_SYSLOG[int(found["level"])]  # a notice is not a warning
        return f"{stamp} {level} stunnel: {found['message']}"
    if (found := _FLUENT_BIT.match(row)) is not None:
        stamp = f"[{found['date'].replace('/', '-')} {found['time']},000]"
        return f"{stamp} {found['level'].upper()} fluent-bit: {found['said']}"
    if row.startswith("{") and _THREAD_OF_RDKAFKA in row:
        return _of_librdkafka_in_json(row)
    return line_of_fields(row)


def _from_csv(rows: Sequence[str]) -> list[str]:
    """Rows with each CSV row whose only quoted cell is a record replaced by that record; other rows unchanged."""
    if not any(map(_CELL_OF_CSV.match, rows)) or any(_STAMPED.match(row) and row[0] != '"' for row in rows):
        return list(rows)
    out: list[str] = []
    is_open = False
    for row in rows:
        found = _END_OF_CELL.match(row) if is_open else _CELL_OF_CSV.match(row)
        if found is None:
            out.append("" if not is_open and _NAMES_OF_CSV.match(row) else row)
            continue
        cell = found["cell"]
        ended = _END_OF_CELL.match(cell) if not is_open else found
        is_open = ended is None
        out.append((ended["cell"] if ended is not None else cell).replace('""', '"'))
    return out


def _unquoted(rows: Sequence[str]) -> list[str]:
    """Rows without an email's quote marks, if all rows are quoted."""
    quoted = [row for row in rows if row.strip()]
    if quoted and all(_QUOTED.match(row) for row in quoted) and (len(quoted) > 1 or quoted[0].startswith("> ")):
        return [_QUOTED.sub("", row) for row in rows]
    return list(rows)


def _without_indent(rows: Sequence[str]) -> list[str]:
    """Rows without their common indent, as in a list item or a code block."""
    indent = min((len(row) - len(row.lstrip(" ")) for row in rows if row.strip()), default=0)
    return [row[indent:] for row in rows]


def _with_whole_json(rows: Sequence[str]) -> list[str]:
    """Rows with each JSON record that a terminal broke into lines joined on its first row; its other rows become
    empty.
    """
    out, at = list(rows), 0
    while at < len(out):
        if out[at].startswith('{"') and value_of_json(out[at]) is None:
            for end in range(at + 2, min(at + _MOST_OF_JSON, len(out)) + 1):
                joined = "".join(out[at:end])
                if value_of_json(joined) is not None:
                    out[at:end] = [joined, *[""] * (end - at - 1)]
                    break
        at += 1
    return out


def _without_labels(rows: Sequence[str]) -> list[str]:
    """Rows without the container or pod name before each, if at least two rows have one."""
    for wrapper in _LABELS:
        if sum(map(wrapper.fits, rows)) > 1:
            rows = [wrapper.peeled(row) for row in rows]
    return list(rows)


def _begins(row: str) -> bool:
    return _STAMPED.match(row) is not None or cut_at_level(row) is not None or row.startswith("{")


def _latest(rows: Sequence[str]) -> datetime | None:
    """The day after the last whole timestamp, which determines the year of timestamps without one."""
    stamps = [found[0] for row in rows if (found := re.search(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d", row[:60]))]
    latest = micros_of(max(stamps).replace("T", " ")) if stamps else None
    moment = datetime_of(latest)
    return moment + timedelta(days=1) if moment is not None else None


def _lines_apart(rows: Sequence[str], as_of: datetime | None, is_local: bool) -> dict[int, Apart]:
    """The lines that another program wrote, as their own heads show."""
    apart: dict[int, Apart] = {}
    at = 0
    while at < len(rows):
        many = _crash(rows, at, apart) if _CRASH_BEGINS.match(rows[at]) else 0
        if not many and (one := _apart(rows[at], at, as_of, is_local)) is not None:
            apart[at] = one
        at += max(many, 1)
    _warnings_of_java(rows, apart)
    for at, kind, fields in ended_processes(rows):
        by = "systemd" if "unit" in fields or kind == CONTEXT else "Docker"
        apart[at] = Apart(at + 1, kind or TYPED, rows[at].strip(), by, "ERROR" if kind else "INFO", fields=fields)
    return apart


def _warnings_of_java(rows: Sequence[str], apart: dict[int, Apart]) -> None:
    """Adds Java's warnings to `apart`; without a crash report, the first warning about a refused commit stands for
    it.
    """
    warned = [(at, found) for at, row in enumerate(rows) if (found := _JAVA_WARNS.match(row)) is not None]
    has_report = any(one.kind == "jvm_no_memory" for one in apart.values())
    for at, found in warned:
        if has_report or found["bytes"] is None:
            apart[at] = Apart(at + 1, TYPED, rows[at], "Java")
        else:
            is_guard = any("stack guard pages" in rows[other] for other, _ in warned)
            fields = {"bytes": found["bytes"], **({"guard": "yes"} if is_guard else {})}
            apart[at] = Apart(at + 1, "jvm_no_memory", rows[at], "Java", "FATAL", fields=fields)
            has_report = True


def _apart(row: str, at: int, as_of: datetime | None, is_local: bool) -> Apart | None:
    if not row.strip():
        return None
    if found := _GC.match(row) or _OLD_GC.match(row):
        return _of_collector(row, at, found, is_local)
    if _OF_A_PAUSE.match(row):
        return Apart(at + 1, TYPED, row.strip(), "Java")
    if is_host_line(row):
        return _of_host(row, at, as_of)
    if event := _DESCRIBED_EVENT.match(row) or _LISTED_EVENT.match(row):
        return _of_kubernetes(event, at)
    if any(one.match(row) for one in (_HEAD_OF_EVENTS, _PROMPT, _NOTHING, _OF_A_START, _REMARK)):
        return Apart(at + 1, TYPED, row.strip(), "a person or a script")
    if _OF_A_POD.match(row):
        is_killed = "OOMKilled" in row
        return Apart(
            at + 1,
            "container_oom_killed" if is_killed else TYPED,
            row.strip(),
            "Kubernetes",
            "ERROR" if is_killed else "INFO",
        )
    if found := _PROBE.match(row):
        fields = {"probe": found["probe"].lower(), "said": found["said"][:_OUTPUT_OF_A_PROBE]}
        return Apart(at + 1, "probe_failed", row, "Kubernetes", "WARN", fields=fields)
    if _KLOG.match(row):
        return Apart(at + 1, OTHERS, row, "kubelet", {"W": "WARN", "E": "ERROR", "F": "FATAL"}.get(row[0], "INFO"))
    if found := _LOGFMT.match(row):
        return Apart(at + 1, OTHERS, row, "a container's runtime", found["level"].upper().replace("WARNING", "WARN"))
    if row.startswith(JVM_MESSAGES) or SHELL_MESSAGE.match(row):
        return None  # the reader of records parses these
    return None


def _have_local_times(rows: Sequence[str]) -> bool:
    """Whether the paste has Kafka records and none of them has a time zone: a garbage collector's lines of the same
    process then use the same clock.
    """
    stamps = [
        found for row in rows if (found := _KAFKAS_STAMP.match(row)) and not (_GC.match(row) or _OLD_GC.match(row))
    ]
    return bool(stamps) and not any(found["zone"] for found in stamps)


def _of_collector(row: str, at: int, found: re.Match[str], is_local: bool) -> Apart:
    zone = None if is_local else found.groupdict().get("zone") or None
    stamp = f"{found['date']} {found['time'].replace(',', '.')}" if found["date"] else ""
    pause = _PAUSE.search(row[found.end() - 5 :])
    fields: dict[str, str] = {}
    if pause and ("GC" in row or "Pause" in row or "stopped" in row):
        ms = float(pause["pause"].replace(",", ".")) * (1000 if pause["in"] == "secs" else 1)
        fields = {"pause_ms": f"{ms:.0f}", "full": "yes" if re.search("Pause Full|Full GC", row) else ""}
        fields |= {name: pause[name] + pause["unit"] for name in ("before", "after", "heap") if pause[name]}
        fields = {name: value for name, value in fields.items() if value}
    kind = "gc_pause" if fields and "Concurrent Mark Cycle" not in row else "gc_progress"
    return Apart(at + 1, kind, row, "Java", ts=datetime_of(micros_of(stamp, zone)) if stamp else None, fields=fields)


def _of_host(row: str, at: int, as_of: datetime | None) -> Apart:
    parsed = host_line(row, as_of)
    assert parsed is not None  # `is_host_line`
    match = host_line_template(row)
    cut = _CUT_KILL.match(parsed.message) if match is None else None
    details = match[1] if match else {name: text for name, text in cut.groupdict().items() if text} if cut else {}
    fields = {**details, **({"host": parsed.host} if parsed.host else {})}
    kind = "kernel_cgroup_oom_kill" if parsed.message.startswith("Memory cgroup") else "kernel_oom_kill"
    return Apart(
        at + 1,
        match[0].kind if match else kind if cut else OTHERS,
        parsed.message,
        parsed.teller,
        match[0].level if match else "INFO",
        match[0].id if match else None,
        datetime_of(parsed.micros),
        fields,
        node_of_name(parsed.host),
    )


def _of_kubernetes(event: re.Match[str], at: int) -> Apart:
    message = event["message"].strip()
    pod = event.groupdict().get("object") or ""
    pod = pod.partition("/")[2] or (found[1] if (found := re.search(r"\bin pod ([\w.-]+?)_", message)) else "")
    fields = {"reason": event["reason"], "said": message, **({"pod": pod} if pod else {})}
    if probe := re.match(r"(\w+) probe", message):
        fields["probe"] = probe[1].lower()
    if re.search(r"failed (?:liveness|startup) probe", message):
        fields["by_probe"] = "yes"
    kind = kind_of_reason(event["reason"]) or OTHERS
    level = "WARN" if event["type"] == "Warning" else "INFO"
    return Apart(
        at + 1, kind, f"{event['reason']}: {message}", "Kubernetes", level, fields=fields, node=node_of_name(pod)
    )


def _crash(rows: Sequence[str], at: int, apart: dict[int, Apart]) -> int:
    """Joins Java's crash report, from its first line at `at`, into one record; returns its number of lines."""
    end = at
    while end < len(rows) and (_CRASH.match(rows[end]) or not rows[end].strip()):
        end += 1
    fields: dict[str, str] = {}
    parts = [
        f"# {part}" for row in rows[at:end] for part in _JOINED_ROWS.split(row.strip("# "))
    ]  # some logs join its rows
    for row in parts:
        for found in (
            _SIGNAL.match(row),
            _PID.search(row),
            _FRAME_OF_CRASH.match(row) if "Problematic" not in row else None,
        ):
            fields |= {name: text.strip() for name, text in (found.groupdict() if found else {}).items() if text}
    if (
        "signal" not in fields
        and "error" not in fields
        and not any("insufficient memory" in row for row in rows[at:end])
    ):
        return 0
    message = " ".join(row.lstrip("#").strip() for row in rows[at:end] if row.strip("# "))
    kind = "jvm_no_memory" if "insufficient memory" in message and "signal" not in fields else "jvm_crash"
    if kind == "jvm_no_memory":
        fields |= _lacks(message, rows[max(0, at - _LINES_BEFORE) : at])
    apart[at] = Apart(at + 1, kind, message[:800], "Java", "FATAL", fields=fields)
    for more in range(at + 1, end):
        if rows[more].strip():
            apart[more] = Apart(more + 1, TYPED, rows[more], "Java")
    return end - at


def _lacks(message: str, before: Sequence[str]) -> dict[str, str]:
    """What Java ran out of, from its report and the warnings above it."""
    warned = " ".join(before)
    if "EPERM" in warned:
        return {"forbidden": "yes"}
    if found := re.search(r"failed to (?:map|allocate|commit) (\d+) bytes", message):
        return {"bytes": found[1], **({"guard": "yes"} if "stack guard pages" in warned else {})}
    threads = "GC thread" in message or "native thread" in message or "pthread_create failed" in warned
    return {"threads": "yes"} if threads else {}


def _left_over(rows: Sequence[str], apart: Mapping[int, Apart]) -> dict[int, Apart]:
    """The lines that belong to no record: not indented, below a complete record, and not part of a stack trace."""
    left: dict[int, Apart] = {}
    is_open = in_trace = False  # text that may continue on the next line
    seen = False
    for at, row in enumerate(rows):
        if not row.strip():
            continue
        if at in apart:
            is_open = in_trace = False
            continue
        if _begins(row):
            seen, in_trace = True, False
            is_open = _LOGGER_BEHIND.search(row) is None and not is_known(row)
        elif _TRACE.match(row):
            in_trace = True
        elif row.startswith(JVM_MESSAGES) or SHELL_MESSAGE.match(row):
            is_open = in_trace = False
        elif _SETTING.match(row):
            if row[:1] not in " \t":
                left[at] = Apart(at + 1, SETTING, row.strip(), "a person")
        elif seen and not in_trace and row[:1] not in " \t" and (not is_open or _SAYS_AN_ERROR.match(row)):
            left[at] = Apart(at + 1, UNKNOWN, row.rstrip(), "", "?")
    return left
