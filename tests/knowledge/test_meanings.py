"""Every wording of a broker at WARN or above has a meaning, and what is said is whole sentences with the line's own values."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from replay.catalogue import TEMPLATES, clients_catalogue
from replay.catalogue.kinds import KINDS
from replay.knowledge.choosing import WARN, quiet_signs, wording_of
from replay.knowledge.explaining import explained
from replay.knowledge.library import library
from replay.knowledge.meaning import NAMED, filled
from replay.knowledge.meanings import HOST, MEANINGS
from replay.knowledge.pack import own_entries
from replay.reading.printed_line import LEVELS, Line, matched_line
from replay.reading.texts import lines_of
from tests.each import for_each

_PREFIX = re.compile(r"\[[^\]]*\][:,]* *")
MEANINGS_OF_TEMPLATES = {
    key: ids.split()
    for key, ids in (
        row.split("\t") for row in Path(__file__).with_name("meanings_of_templates.tsv").read_text().splitlines()[1:]
    )
}
WARNINGS = [template for template in TEMPLATES if LEVELS.get(template.level, 0) >= WARN]
KINDS_OF_CLIENTS = {template.kind for template in clients_catalogue().templates}
CHOSEN_BY_RULES = [
    one for one in MEANINGS if not (one.kinds or one.ids or one.wording or one.exception or one.is_a_reason)
]


def _line(template) -> Line:
    fields = template.fields_of(template.example.split("\n")[0]) or {}
    return Line(
        "server.log",
        1,
        None,
        template.level,
        None,
        template.example.split("\n")[0],
        template=template.id,
        kind=template.kind,
        fields=fields,
    )


@for_each("template", WARNINGS, ids=lambda template: template.id)
def test_every_warning_and_error_of_the_catalogue_is_explained(template):
    line = _line(template)
    assert wording_of(line) is not None
    answer = explained([line])
    told = (*answer.told, *answer.harmless)
    assert len(told) == 1
    assert not re.search(
        r"[{}<>]", re.sub(r"\{[^}]*[ =:][^}]*\}|[\w-]*<[\w-]+>[\w-]*", "", told[0].effect + told[0].next)
    )
    assert told[0].says[0].isupper() or not told[0].says[0].isalpha()


def test_every_template_means_what_the_table_says():
    told = defaultdict(list)
    for template in WARNINGS:
        found = wording_of(_line(template))
        told[found[0].key if found else None].append(template.id)
    assert {key: sorted(ids) for key, ids in told.items()} == MEANINGS_OF_TEMPLATES


def test_a_message_without_the_name_of_its_writer_means_the_same():
    """Somebody cut `[Controller 1] ` off. Of two that differ in nothing else without a logger the template is meant that has no prefix."""
    without = {template.id: _PREFIX.sub("", template.example.split("\n")[0], count=1) for template in TEMPLATES}
    differ, unknown, known = set(), 0, 0
    for template in TEMPLATES:
        message = template.example.split("\n")[0]
        if not message.startswith("[") or not without[template.id].strip():
            continue
        found = matched_line(Line("server.log", 1, None, template.level, None, without[template.id]))
        unknown += found.template is None
        known += found.kind == template.kind
        if found.template is not None and found.kind != template.kind and template in WARNINGS:
            meanings = [wording_of(line) for line in (_line(template), found)]
            differ |= {template.id} if len({one[0].key if one else None for one in meanings}) > 1 else set()
    assert differ == {"MDC-075", "SRV-229", "SRV-247", "SRV-249", "SRV-253"}
    assert known > 2000 and unknown < 160


WITH_EXAMPLE = [one for one in MEANINGS if one.wording and one.example and not one.exception]


@for_each("meaning", WITH_EXAMPLE, ids=lambda meaning: meaning.key)
def test_a_wording_is_known_by_its_example(meaning):
    (line,) = lines_of(re.sub(r"^(?=[A-Z]+ )", "[2026-11-26 07:00:00,000] ", meaning.example), "server.log")
    found = wording_of(line)
    assert found is not None and found[0].key == meaning.key


def test_every_meaning_has_an_example():
    """Its own, a template's, or a line of a client."""
    of_clients = {one.key for one in MEANINGS if KINDS_OF_CLIENTS & set(one.kinds)}
    of_templates = {found[0].key for template in TEMPLATES if (found := wording_of(_line(template)))}
    bare = [one for one in MEANINGS if not one.example and one.written_by != HOST and one not in CHOSEN_BY_RULES]
    assert {one.key for one in bare} <= of_templates | of_clients


def test_the_records_are_sound():
    keys = {one.key for one in MEANINGS}
    templates = {template.id for template in TEMPLATES}
    typed = {one.key for one in MEANINGS if one.kinds or one.ids}
    for meaning in MEANINGS:
        assert meaning.explained_by or meaning.cause_at == NAMED, meaning.key
        assert set(meaning.kinds) <= KINDS.keys() | KINDS_OF_CLIENTS or meaning.written_by == HOST, meaning.key
        assert set(meaning.ids) <= templates, meaning.key
        assert meaning.key not in (*meaning.not_examples.values(), *meaning.refines), meaning.key
        assert set(meaning.refines) <= typed, meaning.key
        assert {*meaning.not_examples.values(), *meaning.follows} <= keys, meaning.key
        assert meaning.says.endswith((".", "}", ">")), meaning.key
    assert len(CHOSEN_BY_RULES) <= 15  # a function chooses them, from other lines


def test_a_sign_is_seen_among_millions_of_records_too():
    """Of many records those below WARN are chosen by a pattern that Arrow reads: it must fit what a sign fits."""
    quiet = [template.example.split("\n")[0] for template in TEMPLATES if template not in WARNINGS]
    known = [line for line in quiet if any(sign.wording_regex.search(line) for sign in library().signs)]
    known += ["[Partition orders-3 broker=2] Cached zkVersion 7 not equal to that in zookeeper, skip updating ISR"]
    examples = [line for sign in library().signs if sign.example for line in lines_of(sign.example, "server.log")]
    known += [
        line.message for line in examples if any(sign.wording_regex.search(line.message) for sign in library().signs)
    ]
    assert len(known) > 60 and pc.all(_fit(known)).as_py()
    assert not pc.any(_fit(["Loaded 12 logs", "Created log for orders-3"])).as_py()


def _fit(texts: list[str]) -> pa.Array:
    """Which texts a pattern of `quiet_signs` matches in Arrow."""
    return reduce(pc.or_, [pc.match_substring_regex(pa.array(texts), pattern) for pattern in quiet_signs()])


def test_what_looks_alike_means_something_else():
    for meaning in MEANINGS:
        for text, key in meaning.not_examples.items() if meaning.wording and not meaning.exception else ():
            found = wording_of(matched_line(Line("client.log", 1, None, "WARN", None, text)))
            assert found is not None and found[0].key == key


# What the source does there, where the wordings of one kind do not all mean the same.
BY_SOURCE = {
    "RPM-124": "high-watermarks-not-written",  # 1.0 and later take the directory offline; 0.11 and before halted
    "RPM-123": "broker-halted-io",
    "RPM-133": "log-dir-needed-failed",
    "LOG-210": "start-no-directory",
    "LOG-319": "log-dir-failed",  # a KafkaStorageException: the directory is offline already
    "LOG-109": "topic-id-not-written",
    "LOG-117": "remote-storage-off",
    "LOG-276": "cleaner-records-without-key",  # Cleaner.shouldRetainRecord: a record without a key is not retained
    "RPM-084": "partition-missing-here",
    "RPM-110": "describe-dirs-failed",
    "SRV-039": "migration-without-transactions",
    "SRV-066": "start-gave-up",
    "SRV-059": "stop-failed",
    "SRV-433": "thread-ended-process",  # ShutdownableThread: a FatalExitError ends the process
    "SRV-197": "thread-died",
    "ZKC-291": "controller-moved",
    "ZKC-318": "partition-election-failed",
    "KRC-047": "kraft-failed-in-standby",
    "KRC-139": "controller-heard-of-lost-directories",
    "KRC-140": "controller-too-busy",
    "RFT-093": "raft-node-went-back",
    "RFT-130": "raft-hw-differs",  # KafkaMetadataLog: 'temporary log message until KAFKA-14825'
    "NET-092": "internal-topic-not-made",
    "NET-058": "client-leader-without-listener",
    "NET-089": "housekeeping",
    "PRC-053": "meta-properties-unread",
    "GRP-111": "coordinator-load-failed",
    # CoordinatorRuntime and MultiThreadedEventProcessor of 4.x
    "CRD-066": "coordinator-reloads",  # FAILED, then LOADING again by itself
    "GRP-336": "coordinator-reloads",
    "CRD-060": "coordinator-closed-already",  # the one state left is CLOSED
    "CRD-061": "coordinator-load-failed",
    "CRD-184": "coordinator-thread-ended",  # run() returns
    "GRP-307": "group-state-too-large",
    "GRP-065": "housekeeping",
    "ZKS-092": "zk-no-new-session",
    # groups, share groups and the remote log of 4.0 and 4.1
    "CRD-174": "group-rebalance-empty",  # the group still has members: it is postponed
    "CRD-089": "transactions-loaded-again",  # the cache held an entry of an older leader epoch
    "GRP-087": "group-empty-not-written",  # 'safe since there are no active members in an empty generation, so we just warn'
    "GRP-009": "coordinator-timer-write-failed",
    "GRP-306": "coordinator-not-unloaded-at-stop",
    "GRP-279": "share-timeout-not-written",  # 'even if write share group state RPC call fails, we will still go ahead'
    "GRP-266": "share-not-sliced",  # 'return the original records so that the fetch can continue'
    "GRP-281": "share-state-contradicts",
    "GRP-218": "share-coordinator-given-up",  # MAX_FIND_COORD_ATTEMPTS = 5
    "GRP-226": "share-coordinator-asked-again",
    "GRP-253": "share-state-not-there",  # INVALID_REQUEST: read of a share partition that was not initialised
    "GRP-254": "share-epoch-old",  # FENCED_LEADER_EPOCH
    "GRP-297": "share-session-unknown",  # SHARE_SESSION_NOT_FOUND
    "RLM-003": "remote-copy-failed",
    "RLM-028": "remote-metadata-reader-ended",  # isClosed = true: the loop of the thread ends
    "RLM-030": "remote-metadata-not-started",  # initializationFailed, which no later step takes back
    "RLM-048": "remote-metadata-topic-not-made",  # the loop goes on
    "RLM-049": "remote-task-ends",
    "RFT-028": "raft-snapshot-id-odd",
    "RFT-094": "raft-node-went-back",
    "RFT-192": "raft-hw-differs",
    "KRC-284": "metadata-snapshots-off",
    "KRC-296": "controller-event-slow",
    "MDC-112": "metadata-snapshot-there",
    "SRV-179": "assign-dirs-refused",  # logged only after MIN_NOISY_FAILURE_INTERVAL_NS, two minutes
    "SRV-393": "error-passed-over",  # CoreUtils.swallow is not only called while something stops
    "TXN-003": "transaction-verification-old",
    # the wordings of 4.1 to 4.3, held against 4.3.1
    "KRC-313": "isr-proposal-invalid",  # INVALID_REQUEST, which the broker does not send again
    "LOG-312": "cleaner-off",  # said only where log.cleaner.enable is false
    "LOG-339": "cleaner-off",  # numThreads < 1
    "LOG-338": "setting-capped",
    "SRV-420": "remote-metadata-not-told-ready",  # caught: STARTED follows
    "CFG-065": "heartbeats-too-rare",  # only logged: the value holds
    "CFG-037": "login-class-not-configured",  # a ConfigException follows
    "CFG-060": "config-deprecated",  # what it sets holds in 4.x
    "CFG-090": "group-protocols-off",
    "CFG-018": "housekeeping",
    "NET-021": "client-certificates-not-asked",  # falls back to NONE
    "GRP-308": "transaction-marker-too-large",
    "GRP-310": "group-session-too-short",
    "GRP-311": "group-setting-capped",
    "PRC-065": "group-epochs-default",
    "RFT-194": "raft-snapshot-files",
}

# Wordings of brokers of 4.2 and 4.3 that the catalogue does not hold.
BY_TEXT = {
    "ERROR Exhausted max retries to find coordinator due to error in client response for WriteShareGroupState using key g1:orders:3.": "share-coordinator-given-up",
    "ERROR Exhausted max retries for read state summary RPC due to error in client response for key g1:orders:3.": "share-coordinator-given-up",
    "ERROR Unable to find coordinator due to error in client response for WriteShareGroupState using key g1:orders:3: 13": "share-coordinator-refused",
    "ERROR Unable to perform write state RPC due to error in client response for key g1:orders:3: 13": "share-coordinator-refused",
    "ERROR Find coordinator response for g1:orders:3 is invalid. Number of coordinators = 0": "share-persister-failed",
    "ERROR Unknown persister specified. Persister is only factory-pluggable!": "share-persister-unknown",
    "WARN [GroupCoordinator id=1 topic=__consumer_offsets partition=12] [GroupId app][MemberId kK3sXw] Topic configuration failed for topology epoch 7 in 3ms: org.apache.kafka.coordinator.group.streams.topics.TopicConfigurationException: Source topics orders are missing.": "streams-topology-refused",
}


@for_each("text", BY_TEXT)
def test_a_wording_that_the_catalogue_does_not_hold_has_its_meaning(text):
    (line,) = lines_of(f"[2026-11-26 07:00:00,000] {text} (org.apache.kafka.server.Thing)", "server.log")
    found = wording_of(line)
    assert found is not None and found[0].key == BY_TEXT[text]


@for_each("template", [t for t in TEMPLATES if t.id in BY_SOURCE], ids=lambda template: template.id)
def test_a_wording_means_what_the_source_does(template):
    wording = wording_of(_line(template))
    assert wording is not None and wording[0].key == BY_SOURCE[template.id]


def test_what_has_no_value_is_left_out_or_said_otherwise():
    assert (
        filled("connection<to {peer}> of {me|a broker}.", {"peer": "10.0.0.1"}) == "connection to 10.0.0.1 of a broker."
    )
    assert filled("connection<to {peer}> of {me|a broker}.", {"me": "broker 2"}) == "connection of broker 2."


@for_each("meaning", MEANINGS, ids=lambda meaning: meaning.key)
def test_no_action_sends_the_reader_back_to_the_exception(meaning):
    assert not re.search(r"(?i)\b(?:the|this|that|innermost) exception\b", f"{meaning.next} {meaning.heals}")


@for_each("meaning", MEANINGS, ids=lambda meaning: meaning.key)
def test_advice_is_safe(meaning):
    # Nobody who is not logged in rules the cluster, and no disk is emptied, unless a sentence forbids just that.
    for sentence in re.split(r"(?<=[.;])\s", meaning.next):
        is_forbidden = re.search(r"\b(?:never|not|before|instead|only if)\b", sentence, re.I)
        assert is_forbidden or not re.search(r"ANONYMOUS[^.]*super|super[^.]*ANONYMOUS|\brm -rf\b|\bwipe\b", sentence)


_TEXTS_OF_MEANINGS = ("says", "effect", "data", "heals_how", "next", "never")


def test_a_text_that_names_a_bug_names_the_releases_that_have_it():
    """A bug that was fixed explains no line of a later release: the text states its releases, or the entry ends with them."""
    vague = []
    for entry in own_entries():
        text = [str(entry.fields.get(name, "")) for name in _TEXTS_OF_MEANINGS]
        bugs = [one for one in text if re.search(r"\b(?:KAFKA|ZOOKEEPER)-\d+", one)]
        ends = re.search(r" to (\d+\.\d+)$", str(entry.fields.get("releases", "")))
        is_old = ends is not None and float(ends[1]) < 4
        if "title" not in entry.fields and not is_old:
            vague += [(entry.key, one) for one in bugs if not re.search(r"\b\d+\.\d+(?:\.\d+)?\b|\{release", one)]
    assert vague == []
