"""Private keys are hidden line by line, and nothing else: a begin of a key can be the name of a client."""

from __future__ import annotations

from itertools import pairwise

from replay.reading.private_keys import has_open_key, hidden_keys
from replay.reading.secrets import hidden_lines, hidden_text
from tests.each import for_each

BEGIN, END = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
BODY = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkwQUJDREVGR0hJSktMTU5P"
MEMBER = f"[2026-11-21 05:34:12,000] INFO [GroupCoordinator 1]: Created a new member id {BEGIN}-5b3d (kafka.coordinator.group.GroupCoordinator)"
DISK = "[2026-11-21 05:58:26,062] ERROR Error while appending records to clicks-3 in dir /data1 (kafka.server.LogDirFailureChannel)"
LEADS = ("", "    ", "kafka-1  | ", "2026-11-21T05:34:12.123456789Z ", "Nov 21 05:34:12 host1 kafka[77]: ", "[pod/kafka-1/kafka] ", "> ", "+ ")  # fmt: skip


@for_each("lead", LEADS)
def test_a_client_with_the_name_of_a_begin_hides_no_other_record(lead):
    text = f"{lead}{MEMBER}\n{lead}{DISK}\n\tat kafka.log.UnifiedLog.append(UnifiedLog.scala:1)\nCaused by: java.io.IOException: x"
    assert (hidden_text(text), hidden_lines(text)) == (text, text)


@for_each("lead", LEADS)
@for_each("end", ("", "\\", '\\n" +', '",'))
def test_a_key_over_lines_is_hidden_behind_what_stands_before_each_line(lead, end):
    key = [f"{lead}{BEGIN}{end}", f"{lead}{BODY}{end}", f"{lead}{BODY[:10]}=={end}", f"{lead}{END}{end}"]
    shown = hidden_keys("\n".join([*key, DISK]), "[hidden]").split("\n")
    assert shown == [key[0], f"{lead}[hidden]{end}", f"{lead}[hidden]{end}", key[3], DISK]


def test_a_key_without_an_end_ends_where_no_key_can_go_on():
    text = f"a={BEGIN}\nProc-Type: 4,ENCRYPTED\n\n{BODY}\n{DISK}\nb"
    assert hidden_keys(text, "*").split("\n") == [f"a={BEGIN}", "*", "", "*", DISK, "b"]


@for_each("between", ("", " ", "\\n", "\\\\n", "|"))
def test_a_key_on_one_line_is_hidden_to_its_end_or_to_its_last_letter(between):
    assert hidden_keys(f"x {BEGIN}{between}{BODY}{between}{END} y", "*") == f"x {BEGIN}*{END} y"
    assert hidden_keys(f"x {BEGIN}{between}{BODY} y", "*") == f"x {BEGIN}* y"


def test_a_key_is_open_until_its_end_or_a_line_of_something_else():
    lines = ["a", BEGIN, BODY, BODY, END, "b"]
    assert [has_open_key("\n".join(lines[:n]) + "\n") for n in range(1, 7)] == [False, True, True, True, False, False]
    assert not has_open_key(f"{MEMBER}\n{DISK}\n")


def test_the_number_of_lines_stays():
    pieces = ("", BEGIN, BODY, END, DISK, MEMBER, "x")
    for one, two in pairwise(pieces * 2):
        for three in pieces:
            text = "\n".join((one, two, three, one))
            assert hidden_keys(text, "*").count("\n") == text.count("\n")
