"""The glossary is made of the records of faults, rules, scenarios and invariants, and has every code that a result can show."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pipelines.answers.explain import meaning
from pipelines.glossary import glossary
from replay.causes.rules import RULES
from replay.errors import InputError
from replay.faults.kinds import CODES, KINDS
from replay.invariants.rules import INVARIANTS
from replay.sentences.next_steps import NEXT_OF_WITNESS
from tests.each import for_each

REPLAY = Path(__file__).parent.parent / "replay"


def codes_in(*rooms: str) -> set[str]:
    """The codes that modules of `replay` write into columns: each is a text of its own."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for room in rooms for file in (REPLAY / room).glob("*.py")]
    texts = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {text for text in texts if isinstance(text, str) and re.fullmatch(r"[FRSI]\d{1,2}", text)}


def of_records() -> set[str]:
    return {k.code for k in KINDS} | {r.number for r in RULES} | {i.id for i in INVARIANTS}


@for_each("room", ["faults", "causes", "losses", "invariants", "availability", "questions"])
def test_every_code_that_a_module_writes_has_an_entry(room):
    assert codes_in(room) <= set(glossary().code)


def test_every_kind_of_fault_every_rule_and_every_invariant_has_an_entry():
    assert of_records() <= set(glossary().code)


def test_no_fault_and_no_rule_has_an_entry_that_nothing_makes():
    """Scenarios aside: the facts name nine, of which some are told as what they are not."""
    written = of_records() | codes_in("causes", "losses", "invariants")
    assert {code for code in glossary().code if code[0] in "FI"} <= written
    assert {code for code in glossary().code if code[0] == "R"} == {rule.number for rule in RULES}


def test_each_code_stands_once_with_a_name_and_a_sentence():
    told = glossary()
    assert told.code.is_unique
    assert told.name.str.len().min() > 3
    assert told.means.str.contains(r"\.\)?$").all()


def test_every_fault_has_a_next_step():
    told = glossary()
    assert (told[told.code.str.startswith("F")].look_next != "").all()


def test_what_to_look_at_next_fits_a_sentence_that_begins_with_check():
    """Noun phrases and indirect questions, no orders: `Node 2: check whether the old session has ended`."""
    told = [*glossary().look_next, *NEXT_OF_WITNESS.values()]
    told += [kind.look_next for kind in KINDS] + [code.look_next_of_controller for code in CODES]
    orders = re.compile(r"(?:nothing|wait|copy|restart|see|look|check|do|find|run|stop|start|raise|set|use)\b", re.I)
    wrong = [text for text in told if text and (orders.match(text) or not text.endswith("."))]
    assert len(told) > 80 and not wrong


def test_the_name_of_a_code_holds_for_each_of_its_faults():
    """A directory of another cluster, or one with damaged records, did not fail: the page names faults by their codes."""
    (name,) = glossary().set_index("code").loc[["F14"], "name"]
    assert {"log_dir_failed", "disk_refused", "records_damaged"} <= {kind.name for kind in KINDS if kind.code == "F14"}
    assert "failed" not in name and name == "Log directory problem"


def test_a_code_that_is_none_is_refused_with_those_that_are():
    with pytest.raises(
        InputError, match=r"F99: .* codes are F00 to F40 \(faults\), R1 to R29 .*, S0 to S10 .*, I1 to I\d+"
    ):
        list(meaning("F99", glossary()))


def test_a_name_of_an_invariant_reads_as_words():
    names = dict(zip(glossary().code, glossary().name, strict=True))
    assert [names[code] for code in ("I14", "I26", "I19")] == [
        "No truncation below commit",
        "ELR well formed",
        "Tenure high watermark monotone",
    ]
