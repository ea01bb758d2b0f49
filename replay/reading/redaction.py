"""Replaces names, each by the same other name everywhere.

A name is replaced if it is a word, or a part of a word between dots, dashes and underscores. A name that is also a word
of Kafka's own messages is replaced only if a field or form shows that the name is meant.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import partial

from replay.reading.names import (
    CLUSTER,
    FIELDS,
    FORMS,
    HOST,
    INTERNAL_TOPICS,
    KINDS,
    SEGMENT_ENDING,
    TOKEN,
    TOPIC,
    TOPIC_ID,
    WORD,
    Names,
    is_weak,
)

_ONE_PARTITION = re.compile(rf"({WORD})-(\d+(?:{SEGMENT_ENDING})?)")
_HEX = re.compile(r"[0-9a-f]{16,}")
_MOST_PARTS = 60  # parts of a word: a word with more parts is not a name
_MOST_KNOWN = 200_000  # words whose replacement is cached
_HIDDEN = "[hidden]"

# Parts of a path that identify nobody: of nodes, times, and Kafka's own files and folders.
_PLAIN_FOLDER = re.compile(
    r"(?:node|broker|kafka|controller|zookeeper|zk)-\d+|\d{8}T\d{6}Z|data\d*|logs?|log-?dir-?\d*|config|conf|stdout|journal"
    r"|metadata-dump|disk-before-restart|input|host|docker|kubernetes|operator|kraft|var|tmp|lib|opt|etc|home|root|kafka|kafka-logs|kraft-combined-logs|\.\.?|"
)
_PLAIN_FILE = re.compile(
    r"(?:server|controller|state-change|log-cleaner|kafkaServer(?:-gc)?|kafka-authorizer|kafka-request|zookeeper(?:-gc)?|gc|kafka|journal|stdout|kernel|systemd|commands|cluster-operator|hs_err_pid\d{1,20})"
    r"(?:[.-](?:log|out|txt|gc|gz|zip|bz2|xz|current|\d[\d-]{0,30})){0,9}"
    r"|[a-z-]{0,60}checkpoint|meta\.properties|server\.properties|controller\.properties|broker\.properties|partition\.metadata|quorum-state"
    r"|\.kafka_cleanshutdown|(?:collected|inspect|docker-events|pods|machines|events)\.json|pipe-\d{1,9}|\d{1,20}\.(?:log|txt)|(?:cluster-)?metadata(?:-dump)?[\w.-]*|topics-describe\S*|\d{20}\S*"
)
_ENDING = re.compile(r"(?:\.(?:log|out|txt|json|gz|zip|tar|tgz|bz2|xz|properties|\d[\d-]{0,30})){0,9}$")


def numbered(names: Names) -> Redacted:
    """`topic-1`, `host-1`, …: each kind in the order of its names, so that sorting by name keeps its order."""
    every = {name for found in names.found.values() for name in found}
    made: dict[str, dict[str, str]] = {}
    for kind, found in names.found.items():
        width = len(str(len(found)))
        numbers = (f"{kind}-{number:0{width}d}" for number in range(1, 2 * len(every) + len(found) + 2))
        free = (name for name in numbers if name not in every)
        made[kind] = dict(zip(sorted(found), free, strict=False))
    return Redacted(made)


def keyed(names: Names, key: bytes) -> Redacted:
    """`topic-bkdcfa`, …: computed from the name and a key, so that runs with the same key agree. Ids keep the format of
    ids.
    """

    def of(kind: str, name: str) -> str:
        digest = hmac.new(key, f"{kind}\0{name}".encode(), hashlib.sha256).digest()
        if kind in (TOPIC_ID, CLUSTER):
            return "r" + urlsafe_b64encode(digest)[:21].decode().replace("-", "x").replace("_", "y")
        letters = "".join(
            chr(ord("a") + byte % 16) for byte in digest
        )  # no digits: they would look like partition numbers
        return f"{kind}-{letters[:8]}"

    return Redacted({kind: {name: of(kind, name) for name in sorted(found)} for kind, found in names.found.items()})


class Redacted:
    """The replacement of each name, in texts, fields and paths."""

    def __init__(self, made: Mapping[str, Mapping[str, str]]) -> None:
        self._made = made
        self._words: dict[str, str] = {}
        odd: dict[str, str] = {}
        for kind in KINDS:  # a name of two kinds has the replacement of the first
            for name, other in made.get(kind, {}).items():
                if TOKEN.fullmatch(name) is None:
                    odd.setdefault(name, other)
                elif not is_weak(name):
                    self._words.setdefault(name, other)
        for host, other in made.get(HOST, {}).items():
            label, dot, domain = host.partition(".")
            if dot and not host.replace(".", "").isdecimal():
                self._words.setdefault(label, other) if not is_weak(label) else None
                while "." in domain:
                    self._words.setdefault(domain, "domain")
                    domain = domain.partition(".")[2]
        self._topics = made.get(TOPIC, {})
        self._weak = {kind: {n: o for n, o in of.items() if is_weak(n)} for kind, of in made.items()}
        self._in_hex = [name.encode().hex() for name in self._words if len(name) > 2]
        several = sorted((name for name in odd if len(name) > 2), key=len, reverse=True)
        self._odd = odd
        self._odd_form = re.compile("|".join(map(re.escape, several))) if several else None
        self._known_tokens: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._parts: dict[str, str] = {}

    def text(self, text: str) -> str:
        """`text` with each name replaced."""
        if any(self._weak.values()):
            for form in FORMS:
                of = self._weak.get(form.kind)
                if of and any(sign in text for sign in form.signs):
                    text = form.compiled.sub(partial(_with, names=of), text)
        if self._odd_form is not None:
            text = self._odd_form.sub(lambda found: self._odd[found[0]], text)
        return TOKEN.sub(lambda found: self._token(found[0]), text)

    def field(self, name: str, value: str) -> str:
        """The value of a field, with each name replaced."""
        whole = self._made.get(FIELDS.get(name, ""), {}).get(value.strip("<>'\""))
        return value.replace(value.strip("<>'\""), whole) if whole is not None else self.text(value)

    def path(self, path: str) -> str:
        """A path with its names replaced, and every other part that is not known to be harmless."""
        if path not in self._paths:
            *folders, name = path.split("/")
            parts = [self._part(part, "folder", _PLAIN_FOLDER) for part in folders]
            self._paths[path] = "/".join((*parts, self._part(name, "file", _PLAIN_FILE)))
        return self._paths[path]

    def _part(self, part: str, called: str, plain: re.Pattern[str]) -> str:
        shown = self.text(part)
        is_known = shown != part and (part in self._words or self._partition(part) is not None)
        if (
            is_known
            or plain.fullmatch(part)
            or part.rpartition("-")[0] in INTERNAL_TOPICS
            or (called == "file" and _PLAIN_FOLDER.fullmatch(part))
        ):
            return shown
        if part not in self._parts:
            ending = _ENDING.search(part)
            number = sum(made.startswith(called) for made in self._parts.values()) + 1
            self._parts[part] = f"{called}-{number}{ending[0] if ending else ''}"
        return self._parts[part]

    def _token(self, token: str) -> str:
        if token.isdecimal():
            return token
        replacement = self._known_tokens.get(token)
        if replacement is None:
            if len(self._known_tokens) >= _MOST_KNOWN:
                self._known_tokens.clear()
            replacement = self._known_tokens[token] = self._made_of(token)
        return replacement

    def _made_of(self, token: str) -> str:
        partition = self._partition(token)
        if partition is not None and not is_weak(partition[0]):
            return f"{self._topics[partition[0]]}-{partition[1]}"
        if token in self._words:
            return self._words[token]
        if partition is not None:
            return f"{self._topics[partition[0]]}-{partition[1]}"
        if _HEX.fullmatch(token):
            return _HIDDEN if any(name in token for name in self._in_hex) else token
        return self._inside(token)

    def _partition(self, token: str) -> tuple[str, str] | None:
        """The topic and the rest of `orders-0`, and of the folder of a partition that is being moved or deleted."""
        found = _ONE_PARTITION.fullmatch(token)
        return (found[1], found[2]) if found is not None and found[1] in self._topics else None

    def _inside(self, token: str) -> str:
        """A word with each part replaced that is a name, the longest first."""
        parts = re.split(r"([._-])", token)
        if len(parts) < 3 or len(parts) > _MOST_PARTS:
            return token
        replaced, at = [], 0
        while at < len(parts):
            for end in range(len(parts), at, -2) if at % 2 == 0 else ():
                name = "".join(parts[at:end])
                if name in self._words:
                    replaced.append(self._words[name])
                    at = end
                    break
            else:
                replaced.append(parts[at])
                at += 1
        return "".join(replaced)


def _with(found: re.Match[str], names: Mapping[str, str]) -> str:
    """The match of a form, with the name in it replaced if it is one of `names`."""
    other = names.get(found[1])
    if other is None:
        return found[0]
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + other + found[0][end:]
