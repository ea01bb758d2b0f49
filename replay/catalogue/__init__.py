"""The messages that Kafka Replay understands: one template per wording, one file of `templates/*.tsv` per log and
subsystem.

To support a new Kafka release, add templates; no code changes. `Catalogue` narrows a message to the few templates
whose first words fit; of those that match, the one with the longest fixed text wins (kafka-log-formats §1).
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from functools import cache
from itertools import islice

from replay.catalogue.template import Template, heads_of, simple_name
from replay.catalogue.template_files import templates_of

# The files of `templates`: what brokers, controllers and ZooKeeper servers print.
FILES = (
    "state_change",  # brokers and controllers, to state-change.log: leader epochs, ISRs and the requests that carry them
    "controller_zookeeper",  # the ZooKeeper controller, to controller.log: changes of brokers, elections, reassignments, deletions
    "controller_kraft",  # the KRaft controller, to controller.log (server.log up to 3.3.1): fencing, elections, replayed records
    "server_partition",  # partitions and their ISR requests, to server.log, like all that follow
    "server_replica_manager",  # the replica manager, failures of log directories, checkpoints
    "server_remote_log",  # the remote log manager and its metadata (tiered storage, KIP-405)
    "server_fetcher",  # replica fetchers and their network clients: fetch errors, decisions to truncate
    "server_log",  # logs: loading, recovery, rolling, truncation, retention, leader epoch cache
    "log_cleaner",  # compaction, to log-cleaner.log
    "server_raft",  # the Raft client of the KRaft quorum
    "server_metadata",  # the metadata cache, its loader and its publishers
    "server_lifecycle",  # start, registration, heartbeats, shutdown, channels to the controller
    "server_zookeeper_client",  # Kafka's ZooKeeper client: sessions, znodes
    "server_coordinator",  # coordinators of groups, transactions and share groups; tiered storage
    "server_groups",  # coordinators of consumer, share and streams groups
    "server_transactions",  # transaction coordinators and producer IDs
    "server_network",  # sockets, channels and requests
    "server_configuration",  # settings, quotas and credentials
    "server_process",  # the process, its metrics and its helpers
    "server_jvm",  # the JVM and the shell that started it (`server_jvm.py`)
    "server_migration",  # the migration from ZooKeeper to KRaft
    "zookeeper_server",  # ZooKeeper servers, about sessions of brokers (facts F01, F07)
    "before_0_10",  # different texts of Kafka 0.8 and 0.9, from public logs
    "tools",  # command-line tools (ConsoleConsumer, ReplicaVerificationTool, the verifiable clients) and their metrics reporter
)
# Clients, Kafka Connect with MirrorMaker 2, and Kafka Streams: at INFO, and at WARN and ERROR, where the kind is the key of a
# meaning (`replay.knowledge`). Read in the source of 0.10.2 to 4.0 and of 4.3.1. `{rest}` is the end of a long text.
FILES_OF_CLIENTS = ("clients", "clients_warnings", "connect", "connect_warnings", "streams", "streams_warnings")
_OF_OTHERS_TOO = {
    "server_lifecycle",
    "server_zookeeper_client",
    "server_network",
    "server_configuration",
    "server_process",
    "server_jvm",
    "zookeeper_server",
    "before_0_10",
    "tools",
}

TEMPLATES = tuple(template for name in FILES for template in templates_of(name))

# Templates that only brokers and controllers print.
OF_SERVERS = frozenset(template.id for name in FILES if name not in _OF_OTHERS_TOO for template in templates_of(name))

Heads = tuple[str | None, str | None]
Found = tuple[Template, tuple[str | None, ...]]
Group = tuple[tuple[str, Template], ...]


class Catalogue:
    """Templates, looked up by the words that a message starts with; those with hardly any fixed text, by the logger
    alone. The templates that start alike are prepared when the first message that starts so comes.
    """

    def __init__(self, templates: tuple[Template, ...]) -> None:
        self.templates = templates
        self._by_heads: dict[Heads, list[Template]] = defaultdict(list)
        self._by_logger: dict[str, Template] = {}
        self._groups: dict[Heads, Group] = {}
        for template in templates:
            if template.needs_logger:
                self._by_logger |= dict.fromkeys(template.logger.split("|"), template)
            else:
                self._by_heads[template.heads].append(template)

    def starting_with(self, heads: Heads) -> Group:
        """The templates that start with these words, each with its longest text, the longest fixed text first. Those that can start with any text are
        in every group whose first word is open.
        """
        group = self._groups.get(heads)
        if group is None and heads in self._by_heads:
            prefix, word = heads
            anything = self._by_heads.get((None, None), ()) if word is None and prefix is not None else ()
            in_order = sorted((*self._by_heads[heads], *anything), key=lambda template: -template.literal_length)
            # Check for a fixed text first: it costs a hundredth of matching an expression with an open start.
            self._groups[heads] = group = tuple((template.longest_text, template) for template in in_order)
        return group or ()

    def find(self, message: str, logger: str | None = None) -> Found | None:
        """The template that printed `message`, and the groups of its expression; None if no template matches.

        If several match, the one with the longest fixed text wins (kafka-log-formats §1).
        """
        prefix, word = heads_of(message)
        open_word = self.starting_with((prefix, None)) or self.starting_with((None, None))
        for group in (self.starting_with((prefix, word)), self.starting_with((None, word)), open_word):
            for text, template in group:
                if text in message:
                    found = template.compiled.match(message)
                    if found is not None:
                        return template, found.groups()
        return self._by_its_logger(message, logger)

    def _by_its_logger(self, message: str, logger: str | None) -> Found | None:
        template = self._by_logger.get(simple_name(logger)) if logger else None
        found = template.compiled.match(message) if template else None
        return None if template is None or found is None else (template, found.groups())


@cache
def whole_catalogue() -> Catalogue:
    """All templates."""
    return Catalogue(TEMPLATES)


_PREFIX = re.compile(r"(?:\[[^\[\]]*\][:,]* +|\{(?:log|client|caller)_prefix\})")
_HEADER = 300  # characters of a line in which a header ends
LEAST_LITERALS = 20  # fixed characters that identify a message without its prefix
_LEAST_OF_A_CUT = 4  # characters of the fixed text in which a message ends
_LEAST_WITH_LOGGER = 8  # the same if its logger is known


@cache
def _without_prefix(template: Template) -> Template:
    """The template without the bracketed prefix that names its writer."""
    text = _PREFIX.sub("", template.text, count=1)
    return template if text == template.text else replace(template, text=text)


@cache
def _without_prefixes() -> dict[Heads, list[Template]]:
    """The templates that start with a bracketed prefix, without it, by the words that they then start with."""
    cut = (_without_prefix(template) for template in TEMPLATES if _PREFIX.match(template.text))
    by_heads: dict[Heads, list[Template]] = defaultdict(list)
    for template in cut:
        by_heads[template.heads].append(template)
    return by_heads


@cache
def _cut_templates(group: Heads) -> tuple[Catalogue, dict[str, dict[str, Template]]]:
    """The templates without their prefix that start with these words or with any; and for each text, its original
    templates by logger.
    """
    prefix, word = group
    heads = dict.fromkeys(((prefix, word), (None, word), (prefix, None), (None, None)))
    alike: dict[str, dict[str, Template]] = defaultdict(dict)
    for template in (one for head in heads for one in _without_prefixes().get(head, ())):
        if template.literal_length >= _LEAST_WITH_LOGGER:
            alike[template.pattern.regex] |= dict.fromkeys(template.logger.split("|"), template)
    return Catalogue(tuple(next(iter(same.values())) for same in alike.values())), alike


def _known_heads(message: str) -> Heads:
    """The words that a message starts with, as far as a template without its prefix starts so."""
    heads, known = heads_of(message), _without_prefixes()
    prefix = heads[0] if any((heads[0], word) in known for word in (heads[1], None)) else None
    return prefix, heads[1] if any((one, heads[1]) in known for one in (heads[0], None)) else None


def explain_without_prefix(message: str, logger: str | None = None) -> tuple[Template, dict[str, str]] | None:
    """The template whose text, without its `[writer] ` prefix, is `message`: for lines copied without their prefix.

    Without a logger, the text must be long and match templates of one kind only.
    """
    texts, alike = _cut_templates(_known_heads(message))
    found = texts.find(message)
    if found is None:
        return None
    same = alike[found[0].pattern.regex]
    if logger is not None:
        template = same.get(simple_name(logger))
    else:
        is_clear = found[0].literal_length >= LEAST_LITERALS and len({one.kind for one in same.values()}) == 1
        template = found[0] if is_clear else None
    return None if template is None else (template, template.filled(found[1]))


@cache
def _by_first_letter() -> dict[str, list[Template]]:
    """The templates without their prefix, by the first letter of their text."""
    warnings = (template for template in clients_catalogue().templates if template.level != "INFO")
    by_letter: dict[str, list[Template]] = defaultdict(list)
    for template in map(_without_prefix, (*TEMPLATES, *warnings)):
        by_letter[template.text[:1]].append(template)
    return by_letter


def explain_cut(message: str) -> Template | None:
    """The template of a message whose end is lost; None unless all templates that begin like it have the same kind."""
    context = _CONTEXT_OF_CLIENT.match(message)
    assert context is not None  # every part is optional
    begin = _PREFIX.sub("", message[context.end() :], count=1)
    if len(begin) < LEAST_LITERALS:
        return None
    found = [template for template in _by_first_letter().get(begin[0], ()) if _is_begun(template, begin)]
    return found[0] if len({template.kind for template in found}) == 1 else None


def _is_begun(template: Template, begin: str) -> bool:
    """Whether `begin` ends inside a fixed part of the template's text and matches everything before it."""
    first = template.text.partition("{")[0]
    if not first:
        return False
    if not begin.startswith(first):
        return first.startswith(begin)
    at = 0
    for fixed in template.fixed_texts:
        where = begin.find(fixed, at)
        if where < 0:
            sizes = range(_LEAST_OF_A_CUT, len(fixed))
            return at >= LEAST_LITERALS and any(begin.endswith(fixed[:size], at) for size in sizes)
        at = where + len(fixed)
    return False


_CONTEXT_OF_CLIENT = re.compile(
    r"(?:\[[\w.>-]+\|(?:task-\d+(?:\|offsets)?|worker)\] )?"
    r"(?:(?:(?:global-)?stream-thread \[(?P<thread_of_streams>[^\]]*+)\]"
    r"|(?:(?:global-)?stream-client|state-updater|task-executor|stream-task|standby-task|(?:active |stream |standby )?task) \[[^\]]*+\]) {1,2}){0,3}"
)
_EXCEPTION_ON_THE_LINE = re.compile(r":? (?=(?:[a-z]\w*\.){1,12}[A-Z]\w{0,80}(?:Exception|Error)\b)")


@cache
def clients_catalogue() -> Catalogue:
    """The lines of clients, Kafka Connect and Kafka Streams at INFO and above; used only for lines of such a
    process.
    """
    return Catalogue(tuple(template for name in FILES_OF_CLIENTS for template in templates_of(name)))


def explain_of_client(message: str, logger: str | None = None) -> tuple[Template, dict[str, str]] | None:
    """The template of a client's class that printed `message`; without a logger, only if its text is specific
    enough.
    """
    context = _CONTEXT_OF_CLIENT.match(message)
    assert context is not None  # every part is optional
    rest, find = message[context.end() :], clients_catalogue().find
    found = find(rest, logger)
    if found is None and (exception := _EXCEPTION_ON_THE_LINE.search(rest)):
        found = find(rest[: exception.start()], logger) or find(f"{rest[: exception.start()]}:", logger)
    if found is None:
        return None
    template, fields = found[0], found[0].filled(found[1])
    if context["thread_of_streams"]:
        fields = {"thread_of_streams": context["thread_of_streams"], **fields}
    is_its = logger is not None and simple_name(logger) in template.logger.split("|")
    # A class may log under the name of its subclass.
    can_be = logger is None or template.level != "INFO"
    is_enough = template.literal_length >= LEAST_LITERALS or context.end() > 0 or "client" in fields
    return (template, fields) if is_its or (can_be and is_enough) else None


_LOGGER_OF_A_CLIENT = re.compile(r"org\.apache\.kafka\.(?:clients\.(?:consumer|producer|admin)|connect|streams)\.")
# How the lines of clients, of Kafka Connect and of Kafka Streams begin, and the loggers of their classes.
_OF_A_CLIENT = re.compile(
    r"kafka\.(?:clients|common|connect|streams|tools)\.|o\.a\.k\.[csmt]\.|^[A-Z]\w+$|^\[(?:Consumer|Producer|AdminClient|Worker) |^\[[\w.>-]+\|(?:task|worker)|^(?:global-)?stream-"
)
_HEAD_ENDS = re.compile(r"(?:: | - |--- |[\])>|\t] ?)(?=\S)")
NAMES_A_CLIENT = ("[Consumer ", "[Producer ", "[AdminClient ", "[Worker ", "stream-thread [", "stream-client [")
_HEADS = 12  # places in a line at which a message can begin


def explain_behind_a_header(line: str) -> tuple[Template, dict[str, str]] | None:
    """The client template of a line whose header has an unknown layout: a warning, or a line that begins with the
    client's name.
    """
    for head in islice(_HEAD_ENDS.finditer(line[:_HEADER]), _HEADS):
        message = line[head.end() :]
        names_a_client = message.startswith(NAMES_A_CLIENT)
        known = explain_of_client(message) or (explain(message) if names_a_client else None)
        if known is not None and (known[0].level != "INFO" or names_a_client):
            return known
    return None


def explain(message: str, logger: str | None = None) -> tuple[Template, dict[str, str]] | None:
    """The template that printed `message`, and its fields; None if no template matches."""
    found = whole_catalogue().find(message, logger)
    return None if found is None else (found[0], found[0].filled(found[1]))


def template_of(message: str, logger: str | None) -> tuple[Template, dict[str, str]] | None:
    """The template that printed `message`, and its fields, whoever printed it and with or without its prefix; a client's
    template before a broker's with little fixed text.
    """
    known = explain(message, logger) or explain_without_prefix(message, logger)
    if known is not None and is_of_a_client(logger) and not prints(known[0], logger):
        known = None  # Kafka Connect and brokers share words
    begins_as_a_clients = _OF_A_CLIENT.search(message[:40]) is not None
    if begins_as_a_clients or logger is None or _OF_A_CLIENT.search(logger):
        if known is None or begins_as_a_clients or known[0].literal_length < LEAST_LITERALS:
            known = explain_of_client(message, logger) or known
        if known is None and begins_as_a_clients and not message.endswith("."):
            known = explain_of_client(f"{message}.", logger) or explain(f"{message}.", logger)
    return known


def is_of_a_client(logger: str | None) -> bool:
    """Whether a class of a client, of Kafka Connect or of Kafka Streams logs under this name."""
    return logger is not None and _LOGGER_OF_A_CLIENT.match(logger) is not None


def prints(template: Template, logger: str | None) -> bool:
    """Whether the template's class logs under this name."""
    return template.logger == "*" or simple_name(logger or "") in template.logger.split("|")
