"""What clients, Kafka Connect and Kafka Streams print: each wording by its own template. One at INFO is told as a step or as a sign, one above
has the meaning of its kind.

The warnings are all `log.warn` and `log.error` of 4.3.1's source, and those of 0.10.2 to 4.0 that it no longer has. Left out are lines that print
nothing of their own but what an exception says (of OAuthBearerLoginCallbackHandler, OAuthBearerLoginModule, OAuthBearerValidatorCallbackHandler,
ExpiringCredentialRefreshingLogin, PlaintextChannelBuilder and Utils.swallow), and two of 2.8.2 whose source does not tell what follows from them:
"The following partitions … are missing from the task partitions" (TaskManager) and "Thread … exiting with uncaught exception" (ShutdownableThread).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import pytest

from pipelines.answers.lines import of_text
from replay.catalogue import TEMPLATES, clients_catalogue, explain_of_client
from replay.catalogue.kinds import CLIENT_KINDS
from replay.knowledge.choosing import wording_of
from replay.knowledge.explaining import explained
from replay.knowledge.meanings import CLIENTS, MEANINGS
from replay.reading.printed_line import Line, matched_line
from replay.reading.texts import lines_of

OF_CLIENTS = clients_catalogue().templates
STEPS_OF_CLIENTS = [template for template in OF_CLIENTS if template.level == "INFO"]
WARNINGS = [template for template in OF_CLIENTS if template.level != "INFO"]
# Every other wording is a step, and no fault.
SIGNS = {
    "client-group-left": ["CLI-004", "CLI-064", "CLI-065", "CLI-067"],
    "client-not-in-group": ["CLI-062"],
    "client-out-of-range": ["CLI-087"],
    "client-transaction-failed": ["CLI-129", "CLI-130"],
    "connect-config-differs": ["CNN-041"],
}


def _logger(template) -> str:
    room = {"CLI": "clients.consumer.internals", "STR": "streams"}.get(template.id[:3], "connect.runtime")
    return f"org.apache.kafka.{room}.{template.logger.split('|')[0]}"


def _line(template) -> Line:
    return matched_line(Line("client.log", 1, None, template.level, _logger(template), template.example))


def test_every_example_is_known_by_its_own_template_alone():
    wrong = {template.id: line.template for template in OF_CLIENTS if (line := _line(template)).template != template.id}
    assert wrong == {}


def test_ids_and_kinds_are_sound():
    ids = Counter(template.id for template in (*OF_CLIENTS, *TEMPLATES))
    assert [name for name, count in ids.items() if count > 1] == []
    assert {template.kind for template in STEPS_OF_CLIENTS} == CLIENT_KINDS.keys()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+(?:-\d+\.\d+\.\d+)?", template.seen) for template in OF_CLIENTS)


def test_each_kind_of_warning_has_one_meaning():
    meanings = Counter(kind for meaning in MEANINGS for kind in meaning.kinds)
    assert {template.kind: meanings[template.kind] for template in WARNINGS if meanings[template.kind] != 1} == {}


FORMS = {
    "Kafka's layout": "[2026-11-26 07:00:00,000] {level} {example} ({logger})",
    "Spring's layout": "2026-11-26 07:00:00.135  {level} 1 --- [ntainer#0-0-C-1] {logger}  : {example}",
    "no logger": "[2026-11-26 07:00:00,000] {level} {example}",
    "a header of nobody's": "app-7f9 | svc=orders {level} [pool-3] <worker> {example}",
    "an exception on its line": "[2026-11-26 07:00:00,000] {level} {example}: java.lang.IllegalStateException: closed ({logger})",
}
NOT_ALONE = 20  # fixed characters, below which a text alone is not enough
# Their text holds what looks like a logger or a header.
MISREAD = {
    "no logger": {"CLI-495", "STR-277", "STR-278"},
    "a header of nobody's": {"CLI-214", "CLI-484", "CLI-485", "CNN-412"},
    "an exception on its line": {"STR-612"},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_warning_has_the_meaning_of_its_kind_in_every_form(form):
    wrong = {}
    for template in WARNINGS:
        ends_open = template.text.endswith(("}", "."))
        if (form == "an exception on its line" and ends_open) or (
            "{logger}" not in FORMS[form] and template.literal_length < NOT_ALONE
        ):
            continue
        example = template.example.rstrip(":") if form == "an exception on its line" else template.example
        text = FORMS[form].format(level=template.level, example=example, logger=_logger(template))
        (line,) = lines_of(text, "client.log")
        found = wording_of(line)
        if found is None or template.kind not in found[0].kinds:
            wrong[template.id] = found and found[0].key
    assert wrong.keys() == MISREAD.get(form, set()), wrong


# Cut before the word that decides: what is left fits a general wording.
CUT_TOO_EARLY = {*"CLI-421 CLI-452 CLI-517 CLI-522 CLI-525 CLI-526 CNN-252 CNN-253 STR-485".split()}


def test_a_warning_whose_end_was_cut_off_is_known_by_its_beginning():
    known, wrong = 0, {}
    for template in WARNINGS:
        begin = template.example[: len(template.example) * 3 // 4]
        (line,) = lines_of(f"[2026-11-26 07:00:00,000] {template.level} {begin}…", "client.log")
        found = wording_of(line)
        known += found is not None and template.kind in found[0].kinds
        if found is not None and template.kind not in found[0].kinds:
            wrong[template.id] = found[0].key
    assert wrong.keys() == CUT_TOO_EARLY and known > 600, wrong


def test_what_is_said_of_a_warning_is_whole_sentences():
    for template in WARNINGS:
        answer = explained([_line(template)])
        (told,) = (*answer.told, *answer.harmless)
        assert told.says[0].isupper() or not told.says[0].isalpha(), template
        assert not re.search(r"\{\w+(?:\|[^{}]*)?\}", told.says + told.effect + told.next), template
        assert not re.search(r" [.,:]|\.\.", told.says), template


def test_each_meaning_of_a_client_has_a_template():
    kinds = {template.kind for template in WARNINGS}
    of_clients = [one for one in MEANINGS if one.written_by == CLIENTS and one.kinds and not one.ids]
    assert len(of_clients) > 100
    assert [one.key for one in of_clients if not kinds & {*one.kinds}] == []


def test_a_text_of_a_class_is_not_taken_from_another_logger():
    wording = "Shutting down"
    assert explain_of_client(wording, "org.apache.kafka.streams.processor.internals.StreamThread") is not None
    assert explain_of_client(wording, "kafka.server.BrokerServer") is None
    assert explain_of_client(wording) is None  # too little text to be known without its logger


def test_each_step_is_a_sign_only_if_the_table_says_so():
    told = defaultdict(list)
    for template in STEPS_OF_CLIENTS:
        line = _line(template)
        if (found := wording_of(line)) is not None:
            told[found[0].key].append(template.id)
    assert dict(told) == SIGNS


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "2021-06-01 12:00:04.135  INFO 1 --- [ntainer#0-0-C-1] o.a.k.c.c.internals.ConsumerCoordinator  : [Consumer clientId=c-1, groupId=g] Adding newly assigned partitions: orders-0",
            "Client c-1 got partitions: orders-0.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO [sink|task-0] [Consumer clientId=c-2, groupId=g] Resetting offset for partition orders-0 to offset 12. (org.apache.kafka.clients.consumer.internals.SubscriptionState:398)",
            "Client c-2 begins to read orders-0 at offset 12.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO stream-thread [app-StreamThread-1] State transition from RUNNING to PARTITIONS_REVOKED (org.apache.kafka.streams.processor.internals.StreamThread)",
            "Kafka Streams goes from RUNNING to PARTITIONS_REVOKED.",
        ),
        (
            "[2023-05-01 10:00:00,000] INFO [Worker clientId=connect-1, groupId=g] Herder started (org.apache.kafka.connect.runtime.distributed.DistributedHerder:324)",
            "Kafka Connect: 'Herder started'.",
        ),
    ],
)
def test_a_quiet_line_of_a_client_is_reported(line, says):
    answer = of_text(line)
    assert [event.says for event in answer.events] == [says]
    assert answer.summary.startswith("No fault found")


def test_a_stream_thread_that_fails_is_a_sign_at_info_too():
    text = "[2023-05-01 10:00:00,000] INFO stream-client [app-1] State transition from RUNNING to ERROR (org.apache.kafka.streams.KafkaStreams)"
    (line,) = lines_of(text, "app.log")
    found = wording_of(line)
    assert found is not None and found[0].key == "streams-thread-died"
