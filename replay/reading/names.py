"""Finds the names that identify a cluster's owner in a text: topics, hosts, clients, users, ids.

A name is recognized by the template field that it fills (`FIELDS`) or by the text around it (`FORMS`). A word of
Kafka's own messages ("leader"), a number or a single letter counts as a name only in a field.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property

from replay.catalogue import TEMPLATES

TOPIC, TOPIC_ID, HOST, CLIENT, USER, CLUSTER, RACK = "topic", "topic-id", "host", "client", "user", "cluster", "rack"
INTERNAL_TOPICS = frozenset(
    {
        "__consumer_offsets",
        "__transaction_state",
        "__share_group_state",
        "__cluster_metadata",
        "__remote_log_metadata",
        "@metadata",
    }
)
KINDS = {
    TOPIC: ("topic", "topics"),
    HOST: ("host or address", "hosts and addresses"),
    CLIENT: ("client, group or transactional id", "client, group and transactional ids"),
    USER: ("user", "users"),
    TOPIC_ID: ("topic id", "topic ids"),
    CLUSTER: ("cluster id", "cluster ids"),
    RACK: ("rack", "racks"),
}

WORD = r"[A-Za-z0-9_.-]*[A-Za-z0-9_-]"
_HOST_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?"
_IPV4 = r"(?:\d{1,3}\.){3}\d{1,3}"
_BASE64_ID = r"[A-Za-z0-9_-]{22}"
SEGMENT_ENDING = r"(?:\.[0-9a-f]{32})?-(?:delete|future|stray)"


@dataclass(frozen=True)
class Form:
    """A pattern around a name of one kind: `find` has the name as its only group; a text without any of `signs` cannot
    match.
    """

    kind: str
    signs: tuple[str, ...]
    find: str

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """`find`, compiled."""
        return re.compile(self.find)

    def fits(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in `text`."""
        return self.compiled.finditer(text) if any(sign in text for sign in self.signs) else iter(())


_AT = r"(?<![A-Za-z0-9_.-])"  # where a word begins
_IS = r"[\"']?\s?[=:]\s?[\"'\[]?"  # between a field's name and its value

FORMS = (
    Form(TOPIC, ("opic",), rf"\b[tT]opics? '?({WORD})"),
    Form(TOPIC, ("opic",), rf"\b[tT]opic(?:Name|[._]name)?{_IS}(?:LITERAL:|PREFIXED:)?({WORD})"),
    Form(TOPIC, ("TOPIC, name='",), rf"\bTOPIC, name='({WORD})'"),
    Form(TOPIC, ("numPartitions", "topicId"), rf"\bname='({WORD})', (?:numPartitions|topicId)"),
    Form(
        TOPIC,
        ("artition",),
        rf"\b[pP]artitions?[ =:]{{1,2}}[\"'\[({{]{{0,2}}(?:Set\(|List\()?({WORD})-\d+(?![\w.-])",
    ),
    Form(TOPIC, ("artition [",), rf"\b[pP]artition \[({WORD}),\d+\]"),
    Form(
        TOPIC,
        ("Set(", "List(", "Buffer(", "Vector(", "Map("),
        rf"\b(?:Set|List|ArrayBuffer|Vector|HashSet|Map|HashMap)\(({WORD})-\d+(?=[,) ])",
    ),
    Form(TOPIC, (", ",), rf"(?<= )(?<=, )({WORD})-\d+(?=, {WORD}-\d+[,)\]}}])"),
    Form(TOPIC, ("/topics/", "/delete_topics/"), rf"/(?:topics|delete_topics)/({WORD})"),
    Form(TOPIC, ("/00000000",), rf"/({WORD})-\d+/\d{{20}}\."),
    Form(TOPIC, ("-delete", "-future", "-stray"), rf"{_AT}({WORD})-\d+{SEGMENT_ENDING}\b"),
    Form(
        TOPIC_ID,
        ("opic",),
        rf"\b[tT]opic[ _]?[iI][dD](?: |[=:] ?|s=\[)(?:Some\(|Optional\[)?({_BASE64_ID})(?![\w-])",
    ),
    Form(TOPIC_ID, ("(",), rf"\(({_BASE64_ID}):{WORD}-\d+"),
    Form(HOST, ("://",), rf"://(?:[^\s/@]*@)?\[?({_HOST_NAME})\]?:\d"),
    Form(HOST, (".",), rf"(?:(?<![\w.-])|(?<=\d-))({_IPV4})(?!\w|\.\w|-[a-z])"),
    Form(HOST, (":",), r"(?<![\w:.-])((?:[0-9a-fA-F]{0,4}:){3,7}[0-9a-fA-F]{1,4}(?:%\w+)?)(?![\w:])"),
    Form(HOST, (" (id: ",), rf"{_AT}({_HOST_NAME}):\d+ \(id: -?\d+ rack: "),
    Form(HOST, ("ost",), rf"\b[hH]ost(?:[._]?[nN]ame)?{_IS}({_HOST_NAME})"),
    Form(HOST, ("EndPoint(",), rf"\bEndPoint\(({_HOST_NAME}),\d"),
    Form(HOST, ("/",), rf"{_AT}({_HOST_NAME})/(?:{_IPV4}|<unresolved>):\d"),
    Form(HOST, ("ode ",), rf"\b[nN]ode -?\d+ \(({_HOST_NAME})[:/]"),
    Form(HOST, ("UnknownHostException",), rf"\bUnknownHostException: ({_HOST_NAME})"),
    Form(HOST, ("resolve",), rf"\b(?:un)?resolved?(?: \w+)? (?:address )?({_HOST_NAME}):\d"),
    Form(HOST, ("@",), rf"@({_HOST_NAME}):\d"),
    Form(
        HOST,
        (":",),
        r"(?<![\w.@/-])((?:[A-Za-z0-9_-]+\.){1,8}(?!(?:scala|java|kt|log|cpp)\b)[A-Za-z]{2,12}):\d{2,5}(?!\d)",
    ),
    Form(CLIENT, ("lient",), rf"\b[cC]lient[ ._-]?[iI][dD](?:{_IS}|\s)({WORD})"),
    Form(CLIENT, ("roup",), rf"\b[gG]roup(?:[iI]nstance)?[ ._]?[iI][dD]{_IS}({WORD})"),
    Form(
        CLIENT,
        ("roup ",),
        rf"\b[gG]roup '?((?=[A-Za-z0-9_.-][A-Za-z0-9]*+[-_.]|[A-Za-z0-9_.-]*+(?<=\d)){WORD})(?=[' ,:]|$)",
    ),
    Form(CLIENT, ("ember",), rf"\b[mM]ember[ ._]?[iI][dD]{_IS}({WORD})"),
    Form(CLIENT, ("ransactional",), rf"\b[tT]ransactional[ ._]?[iI][dD](?:{_IS}|\s)({WORD})"),
    Form(USER, ("User:",), r"\bUser:((?:[A-Za-z.\d]{1,12}=[^,\s)\]]{1,400}(?:,|\b)){1,20}|[^\s,;)\]'\"]+)"),
    Form(CLUSTER, ("luster",), rf"\b[cC]luster[ ._]?[iI][dD](?:{_IS}|\s)({WORD})"),
    Form(RACK, ("rack",), rf"\brack[=:] ?'?(?:Optional\[)?({WORD})"),
)
_ADDRESS_LIST = re.compile(
    r"\b(?:connect[sS]tring|zookeeper\.connect|bootstrap\.servers|quorum\.voters|listeners)\s?[=:]\s?\[?(\S+)"
)

# Template fields and columns whose whole value is a name.
FIELDS: Mapping[str, str] = {
    **dict.fromkeys(("topic", "topic_name"), TOPIC),
    **dict.fromkeys(("topic_id", "previous_topic_id", "request_topic_id", "log_topic_id", "old_topic_id"), TOPIC_ID),
    **dict.fromkeys(("host", "new_host", "old_host", "ip", "service_hostname", "resolved_canonical_name"), HOST),
    **dict.fromkeys(("client_id", "group_id", "share_group_id", "transactional_id"), CLIENT),
    **dict.fromkeys(("member_id", "member_id_2", "new_member_id", "old_member_id", "existing_member_id"), CLIENT),
    **dict.fromkeys(("current_member_id", "received_member_id", "static_member_id", "requesting_member"), CLIENT),
    **dict.fromkeys(("instance_id", "group_instance_id", "received_instance_id"), CLIENT),
    **dict.fromkeys(("user", "user_name", "username", "kerberos_name", "common_name"), USER),
    "cluster_id": CLUSTER,
    **dict.fromkeys(("rack", "broker.rack"), RACK),
    **dict.fromkeys(("pod", "machine", "container"), HOST),  # fields of `replay.reading.kubernetes` and `docker`
}
_ADDRESSES = re.compile(
    r"address|endpoint|connect|bootstrap|listeners|voters|server$|_node$|^node$|nodes$|url|connection_id"
)
_TOPICS = re.compile(r"topics|topic_names|creatable")
_PARTITIONS = re.compile(r"partition|^log(?:_name)?$|replica|fetch_states|assignment")
_COLLECTION = re.compile(r"^(?:Set|HashSet|List|ArrayBuffer|Buffer|Vector|ArraySeq)?[\[(]?([^()\[\]>]*)[\])]?$")
_ADDRESS = re.compile(r"(?<![A-Za-z0-9_.-])[_.-]*+([A-Za-z0-9][A-Za-z0-9_.-]*+)(?<![_.-]):\d{2,5}(?!\d)")
_NAMES_A_PARTITION = re.compile(rf"(?<![\w.-])({WORD})-\d+(?![\w.-])")

# Values that identify nobody: Kafka's own clients, this machine, no value.
_NOBODYS = re.compile(
    r"(?i)null|none|optional\.empty|some|unknown|undefined|\[?hidden\]?|anonymous|localhost|0\.0\.0\.0|127\.\d+\.\d+\.\d+|::1?|0:0:0:0:0:0:0:[01]"
    r"|0\.\d+\.\d+\.\d+"  # a Kafka release
    r"|A{22}|A{21}[EQg]"  # the zero id, and the id of the metadata log
    r"|(?:adminclient|producer|consumer|raft-client|broker|controller|node)-\d+|replica-?fetcher.*|broker-\d+-(?:to|fetcher).*"
    r"|(?:node|broker)-\d+-(?:raft|controller).*|kafka server|client-id|group-id|transactional-id|member-id"
)
TOKEN = re.compile(r"[A-Za-z0-9_.-]+")


@cache
def _kafkas_words() -> frozenset[str]:
    """The words of Kafka's own messages and loggers, in lower case."""
    words: set[str] = set()
    for template in TEMPLATES:
        for part in (*_literals(template.parts), template.logger):
            for token in TOKEN.findall(part):
                words.update((token.lower(), *re.split(r"[._-]", token.lower())))
    return frozenset(words)


def _literals(parts: Iterable[object]) -> Iterable[str]:
    for part in parts:
        if isinstance(part, str):
            yield part
        else:
            for choice in getattr(part, "choices", ()):
                yield from _literals(choice)


def is_weak(name: str) -> bool:
    """Whether a word is common and therefore often no name."""
    return len(name) < 2 or name.isdecimal() or name.lower() in _kafkas_words()


@dataclass
class Names:
    """The names that were found, by kind."""

    found: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, kind: str, name: str | None) -> None:
        """Adds a `name` of a kind, unless it identifies nobody."""
        if name and not _NOBODYS.fullmatch(name) and not (kind == TOPIC and name in INTERNAL_TOPICS):
            self.found[kind].add(name)

    def learn(self, text: str) -> None:
        """Finds names in a text by the forms. Ignores Kafka's own words, as far as a form can tell."""
        for form in FORMS:
            for found in form.fits(text):
                name = found[1].rstrip(".,")
                if not is_weak(name):
                    self.add(form.kind, name)
        if ":" in text:
            for listed in _ADDRESS_LIST.finditer(text):
                self._learn_addresses(listed[1])

    def _learn_addresses(self, value: str) -> None:
        for host in _ADDRESS.findall(value):
            if not host.replace(".", "").isdecimal() or re.fullmatch(_IPV4, host):
                self.add(HOST, host)

    def learn_field(self, name: str, value: str) -> None:
        """Adds the names in the value of a template field or setting."""
        kind = FIELDS.get(name)
        if kind is not None:
            self.add(kind, value.strip("<>'\""))
            return
        if _ADDRESSES.search(name):
            self._learn_addresses(value)
        if _TOPICS.search(name) and (listed := _COLLECTION.match(value)):
            for topic in re.split(r",\s*", listed[1]):
                if re.fullmatch(WORD, topic) and not topic.isdecimal():
                    self.add(TOPIC, topic)
        if _PARTITIONS.search(name):
            for topic in _NAMES_A_PARTITION.findall(value):
                if not is_weak(topic):
                    self.add(TOPIC, topic)
        self.learn(value)

    def summary(self) -> str:
        """How many names of each kind there are, in words."""
        counts = [(len(self.found[kind]), words) for kind, words in KINDS.items() if self.found.get(kind)]
        return (
            ", ".join(f"{count:,} {one if count == 1 else many}" for count, (one, many) in counts) or "none was found"
        )
