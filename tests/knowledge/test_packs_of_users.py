"""A pack that a user wrote: what is refused, in one line, and what an answer says with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pipelines.answers.lines import of_text
from pipelines.cli import main_group
from pipelines.pack_texts import with_files
from replay.errors import InputError
from replay.knowledge.explaining import explained
from replay.pattern_cost import MOST_STEPS, UnboundedError, steps_of
from replay.reading.texts import lines_of

DOCS = Path(__file__).parent.parent.parent / "docs" / "packs.md"
PACK = "\n".join(re.findall(r"(?s)```toml\n(.*?)```", DOCS.read_text(encoding="utf-8")))
EJECTED = (
    "[2026-11-26 07:{at}][12][warning][upstream] upstream cluster kafka-1: host {host}:9092 ejected after 5 failures"
)
BACK = "[2026-11-26 07:{at}][12][info][upstream] upstream cluster kafka-1: host {host}:9092 added back"


@pytest.fixture
def own(tmp_path) -> Path:
    file = tmp_path / "envoy.toml"
    file.write_text(PACK, encoding="utf-8")
    return file


def _run(*words: object) -> tuple[int, str]:
    """The exit status of a command and what it printed; the error that ends it as its one line."""
    done = CliRunner().invoke(main_group, [*map(str, words)])
    error = str(done.exception) if isinstance(done.exception, InputError) else ""
    return (2 if error else done.exit_code), error or done.output


def test_the_pack_of_the_docs_is_sound_and_its_examples_mean_what_it_says(own):
    status, text = _run("knowledge", "check", own)
    assert (status, text) == (0, f"{own}: no error\n")
    status, text = _run("knowledge", "test", own)
    assert status == 0 and [row.split()[:2] for row in text.splitlines()] == [
        ["ok", "envoy-broker-ejected"],
        ["ok", "envoy-broker-back"],
        ["ok", "envoy-ejected-for-a-moment"],
    ]
    status, text = _run("knowledge", "test", own, "--json")
    assert json.loads(text.splitlines()[0])["counter_examples"] == 1


HAPROXY = """
[pack]
written_by = "clients"
[server-down]
on.text = 'Server k/(?P<server>[\\w.-]{1,80}) is DOWN, reason'
weight = "trouble"
owner = "that broker"
says = "HAProxy took {server} out."
next = "See its log."
example = "Nov 26 07:00:00 lb haproxy[7]: Server k/1 is DOWN, reason: x"
[server-up]
on.text = 'Server k/(?P<server>[\\w.-]{1,80}) is UP, reason'
weight = "harmless"
owner = "nobody"
says = "HAProxy uses {server} again."
next = "Nothing."
example = "Nov 26 07:00:00 lb haproxy[7]: Server k/1 is UP, reason: x"
[server-down-shortly]
lines.down = { means = ["server-down"] }
lines.up = { means = ["server-up"], same = ["server"], after = "down", within = 10 }
weight = "passing"
whose = "that broker"
says = "HAProxy sent nothing to {server} for {up_since_down}, from {down_time} on."
next = "See its log."
example = ["Nov 26 07:00:00 lb haproxy[7]: Server k/1 is DOWN, reason: x", "Nov 26 07:00:05 lb haproxy[7]: Server k/1 is UP, reason: x"]
"""

# Each replaces a part of the docs' pack, and is refused with this in one line.
HOSTILE = {
    "code": ("[envoy-broker-back]", "[envoy-broker-back]\nrun = '__import__(\"os\").system(\"id\")'", "run: unknown field"),
    "a file": ("[envoy-broker-back]", "[envoy-broker-back]\ninclude = '/etc/passwd'", "include: unknown field"),
    "an exponential pattern": ("upstream cluster (?P<cluster>[\\w.-]{1,80}): host", "upstream (?P<cluster>(?:[\\w.-]+)+): host", "steps at one position of a line"),
    "a pattern with many places": ("upstream cluster (?P<cluster>[\\w.-]{1,80}): host", "upstream.*.*(?P<cluster>.*): host", "steps at one position of a line"),
    "a reference to a group": ("ejected'", "(?P=cluster) ejected'", "too complex to be bounded"),
    "no expression": ("upstream cluster (?P<cluster>", "upstream cluster ((?P<cluster>", "no regular expression"),
    "a pattern for any line": ("on.text = 'upstream cluster (?P<cluster>[\\w.-]{1,80}): host (?P<address>[\\d.]{7,15}:\\d{1,5}) ejected'", "on.text = '(?P<cluster>\\w)|(?P<address>.)'", "fixed text of four characters"),
    "a placeholder of nothing": ("Envoy sends no more connections of {cluster}", "Envoy sends {secret}", "{secret} has no value"),
    "a key of Kafka Replay's own": ("envoy-broker-back", "start-lock-held", "exceptions-starts-1.toml has an entry with this key"),
    "a line of another meaning": ('example = "[2026-11-26 07:00:09.123][12][info][upstream] upstream cluster kafka-1: host 10.0.0.7:9092 added back"', "example = 'kafka.common.KafkaException: Failed to acquire lock on file .lock in /tmp/kafka-logs. A Kafka instance in another process or thread is using this directory.'", "it does not have this meaning"),
    "a correlation with itself": ('after = "out"', 'after = "back"', "no line above it is called back"),
    "a first line that is near to none": ('means = ["envoy-broker-ejected"] }', 'means = ["envoy-broker-ejected"], within = 60 }', "the first has none to be near"),
    "a correlation without end": (", within = 300", "", "within is missing"),
    "a correlation that never ends": (", within = 300", ", within = inf", "a number of seconds above 0"),
    "an example without one of its lines": ('host 10.0.0.7:9092 added back",\n]', 'host 10.0.0.7:9092 went back",\n]', "no line is `back` (line 1: means = envoy-broker-ejected; line 2: no meaning)"),
    "an example whose lines do not fit together": ("2026-11-26 07:00:09.123][12][info][upstream] upstream cluster kafka-1: host 10.0.0.7:9092 added back\",\n]", "2026-11-26 07:00:09.123][12][info][upstream] upstream cluster kafka-2: host 10.0.0.7:9092 added back\",\n]", "each of its lines is there, so compare the times, `same`"),
    "a truth as a time": (", within = 300", ", within = true", "a number of seconds above 0"),
    "a count of no line": (", within = 300", ", within = 300, count = 0", "at least 1 is expected"),
    "a correlation of a meaning that is not there": ('means = ["envoy-broker-back"]', 'means = ["gone"]', "gone does not exist"),
    "a correlation that drops lines": ('weight = "passing"', 'weight = "passing"\nof = ["out"]\ndrops = true', "belongs to the packs of Kafka Replay itself"),
    "a pattern that no engine takes": ("upstream cluster (?P<cluster>", "(?<=x{1,9})upstream cluster (?P<cluster>", "look-behind requires fixed-width"),
    "entries before each other": ("[envoy-broker-back]", "before = ['envoy-broker-back']\n\n[envoy-broker-back]\nbefore = ['envoy-broker-ejected']", "stand before each other"),
    "a placeholder of no line": ("for {back_since_out}", "for {back_since_gone}", "{back_since_gone} has no value"),
    "a correlation of too many lines": ("lines.back = ", "".join(f"lines.l{n} = {{ text = 'added back', within = 5 }}\n" for n in range(30)) + "lines.back = ", "at most 20"),
    "a word where a sentence belongs": ('weight = "passing"', 'weight = "passing"\ndata = "untouched"', "a correlation has a sentence"),
    "a counter-example without its meaning": ('not = [{ line = "', 'not = ["x", { line = "', "a table is expected: { line = …, means = … }"),
}  # fmt: skip


def test_an_entry_of_a_pack_of_your_own_is_shown(own):
    assert "no entry has this key" in _run("knowledge", "show", "envoy-broker-back")[1]
    status, text = _run("knowledge", "show", "envoy-broker-back", "--pack", own)
    assert status == 0 and "added back" in text and str(own) in text


def test_a_hostile_pack_ends_in_one_clear_line(tmp_path):
    file = tmp_path / "own.toml"
    refused = 0
    for name, (part, into, refusal) in HOSTILE.items():
        assert part in PACK, name
        file.write_text(PACK.replace(part, into), encoding="utf-8")
        status, text = _run("explain", "--pack", file, "some line")
        assert status == 2 and refusal in text and "\n" not in text, (name, text)
        assert re.match(rf"{re.escape(str(file))}, line \d+: \[[\w-]+\]", text), (name, text)
        refused += 1
    assert refused >= 10


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"\xff\xfe", "not UTF-8 text (byte 1); save it as UTF-8"),
        (b"x" * 5_000_000, "at most 1,000,000 characters"),
        (b"[a\x00]", "not TOML"),
        (b"a = " + b"[" * 100_000, "nested too deeply"),
        (b"[[aa]]\nsays = 'x'\n", "aa: write [aa]"),
        (b"# nothing\n", "no entry; docs/packs.md shows one"),
        (b"[aa]\ntitle = 'x'\n", "the field lines is missing"),
        (b"[aa]\nabout = 'x'\nrows = []\n", "tables of codes belong to the packs of Kafka Replay itself"),
        (b"[aa]\nsays = 'x'\nweight = 'harmless'\nowner = 'nobody'\nnext = 'x'\n", "say which line it is: on.text"),
    ],
)
def test_a_file_that_is_no_pack_ends_in_one_clear_line(tmp_path, content, refusal):
    file = tmp_path / "own.toml"
    file.write_bytes(content)
    for command in (("knowledge", "check", file), ("analyze", "--pack", file, "logs"), ("watch", "--pack", file, "-")):
        status, text = _run(*command)
        assert status == 2 and refusal in text and "\n" not in text, text


def test_a_file_that_is_not_there_is_named():
    assert _run("knowledge", "check", "gone.toml") == (2, "gone.toml: not a file; a pack is one file of TOML, docs/packs.md shows one")  # fmt: skip
    assert _run("knowledge", "check", "/")[0] == 2


def test_check_prints_every_error(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(PACK.replace("says = ", "say = "), encoding="utf-8")
    done = CliRunner().invoke(main_group, ["knowledge", "check", str(file)])
    assert done.output.count("unknown field") == 3 and "3 errors" in str(done.exception)


def test_two_packs_have_no_key_in_common(own, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text(PACK, encoding="utf-8")
    status, text = _run("explain", "--pack", own, "--pack", other, "some line")
    assert status == 2 and "also has the entry envoy-broker-ejected; rename one" in text


def test_an_answer_knows_a_line_only_with_the_pack(own):
    line = EJECTED.format(at="00:00.123", host="10.0.0.7")
    assert not of_text(line).told
    with with_files([own]):
        (told,) = of_text(line).told
        assert told.says == "Envoy sends no more connections of kafka-1 to 10.0.0.7:9092."
        assert told.maturity == "quoted" and told.nodes == ()
    assert not of_text(line).told


def _told(own: Path, *rows: str) -> list[tuple[str, str]]:
    with with_files([own]):
        return [(one.key, one.says) for one in explained(list(lines_of("\n".join(rows), "envoy.log"))).told]


def test_a_correlation_replaces_its_lines(own):
    rows = [EJECTED.format(at="00:00.123", host="10.0.0.7"), BACK.format(at="00:09.123", host="10.0.0.7")]
    assert _told(own, *rows) == [
        ("envoy-ejected-for-a-moment", "Envoy sent no connections of kafka-1 to 10.0.0.7:9092 for 9 s, from 07:00:00 on.")
    ]  # fmt: skip
    other_host = BACK.format(at="00:09.123", host="10.0.0.8")
    too_late = BACK.format(at="05:00.124", host="10.0.0.7")
    before = BACK.format(at="00:00.122", host="10.0.0.7")
    for second in (other_host, too_late, before):
        assert [key for key, _ in _told(own, rows[0], second)] == ["envoy-broker-ejected"], second


def test_a_pack_reads_lines_of_syslog_which_print_a_time_of_day_only(tmp_path):
    own = tmp_path / "haproxy.toml"
    own.write_text(HAPROXY, encoding="utf-8")
    assert _run("knowledge", "check", own) == (0, f"{own}: no error\n")
    rows = [
        "Nov 26 23:59:58 lb haproxy[7]: Server k/{} is DOWN, reason: x",
        "Nov 27 00:00:{} lb haproxy[7]: Server k/{} is UP, reason: y",
    ]
    assert _told(own, rows[0].format("k1"), rows[0].format("k2"), rows[1].format("04", "k1")) == [
        ("server-down", "HAProxy took k2 out."),
        ("server-down-shortly", "HAProxy sent nothing to k1 for 6 s, from 23:59:58 on."),
    ]
    assert [key for key, _ in _told(own, rows[0].format("k1"), rows[1].format("09", "k1"))] == ["server-down"]
    with with_files([own]):
        assert {one.maturity for one in of_text(rows[0].format("k1")).told} == {"quoted"}


def test_the_steps_of_a_pattern_have_a_bound():
    """Figures by hand: the places of each repetition, times those of the ones before it."""
    assert steps_of("abcd") < 10
    assert steps_of(r"\d{1,9} ms") < 30  # a digit is no space: one way
    assert 100 * 100 < steps_of(r"[^\n]{0,100}x[^\n]{0,100}y") < MOST_STEPS
    for slow in (r"(a+)+b", r"(?:\w+\s?)*$", r"(a|a)*b", r"(a{0,400}){0,400}b", r"a.*b.*c", r"(?:a|ab)(?:c|bcd)(?:a{1,300}){1,300}d"):  # fmt: skip
        assert steps_of(slow) > MOST_STEPS, slow
    with pytest.raises(UnboundedError):
        steps_of(r"(?P<a>x)(?P=a)")
