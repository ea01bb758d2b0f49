"""Each absolute word of a conclusion has a kind that says what it needs, what refutes it, and what decides."""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from pathlib import Path

import replay.sentences
from replay.closing.absolutes import ABSOLUTES, DENIES_A_LOSS, WORDS
from replay.closing.rules import CLOSING_RULES
from replay.knowledge import closed
from replay.sentences import all_clear, causes, faults, findings, incidents, metrics, witnesses
from replay.sentences.wording import Wordings
from tests.audit import absolutes, advice, figures
from tests.audit import causes as audited_causes
from tests.audit.checks import CHECKS

BOOKS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": book
    for module in (causes, faults, findings, incidents, metrics, witnesses)
    for name, book in vars(module).items()
    if isinstance(book, Wordings)
}
_VIZ = Path(__file__).parents[2] / "viz"
READ = (absolutes, advice, audited_causes, figures)  # their checks are in CHECKS
_PLACE = re.compile(r"\{(?!\w+\})[^{}]*\}")  # a place with a form; its words are no statement


def texts_of_the_page() -> dict[str, str]:
    """The texts of the modules that draw headlines, tiles, basis and severity from the records, and the words of the codes
    of tables.
    """
    found = {}
    for name in (
        *"acks_told all_clear brief brokers findings ledgers".split(),
        *"phrases post_mortem replication shift summary topics".split(),
    ):
        tree = ast.parse((_VIZ / f"{name}.py").read_text(encoding="utf-8"))
        described = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip()
            is_text = is_text and " | None" not in node.value  # a type
            if is_text and id(node) not in described:
                found[f"viz.{name}:{node.lineno}:{node.col_offset}"] = node.value
    return found


def absolute_words() -> dict[str, list[str]]:
    """Each wording with absolute words, and these with what stands around them."""
    texts = {f"{name} {code}": text for name, book in BOOKS.items() for code, text in book.texts.items()}
    texts |= {f"all_clear {name}": getattr(all_clear, name) for name in ("NONE_POSSIBLE", "NONE_FOUND", "NOT_COUNTED")}
    texts |= texts_of_the_page()
    found = {}
    for name, text in texts.items():
        said = re.sub(r"acks=all|--all\S*|\bper all\b", "", _PLACE.sub("{x}", text))
        kinds = [match.span() for kind in ABSOLUTES for match in kind.pattern.finditer(said)]
        open_ = [
            said[max(0, word.start() - 20) : word.end() + 20]
            for word in WORDS.finditer(said)
            if not any(low <= word.start() and word.end() <= high for low, high in kinds)
        ]
        if open_:
            found[name] = open_
    return found


def test_each_absolute_word_of_a_wording_has_a_kind():
    assert absolute_words() == {}


def test_each_kind_names_what_decides_and_what_recomputes_it():
    rules = {rule.code for rule in CLOSING_RULES}
    for kind in ABSOLUTES:
        assert kind.needs and kind.refuted_by, kind.name
        assert kind.rules or kind.decided_in, f"{kind.name}: nothing decides"
        assert set(kind.rules) <= rules, kind.name
        assert set(kind.checks) <= CHECKS.keys(), kind.name
        for module in kind.decided_in:
            assert importlib.import_module(module)


def test_a_kind_without_a_wording_is_none():
    texts = [_PLACE.sub("{x}", text) for book in BOOKS.values() for text in book.texts.values()]
    texts += texts_of_the_page().values()
    assert [kind.name for kind in ABSOLUTES if not any(kind.pattern.search(text) for text in texts)] == []


def test_every_book_of_wordings_is_read():
    every = {
        path.stem
        for path in Path(replay.sentences.__file__).parent.glob("*.py")
        if "Wordings(\n" in path.read_text(encoding="utf-8")
    }
    assert every == {name.partition(".")[0] for name in BOOKS}


_PACKS = Path(closed.__file__).parent / "packs"
_STATES = ("says", "effect", "data", "data_says", "heals_how", "next", "never")


def texts_of_packs() -> dict[str, str]:
    """What the entries of packs, and the closed lists that they choose from, say of a line."""
    found = {f"closed.DATA {name}": text for name, text in closed.DATA.items()}
    for path in sorted(_PACKS.glob("*.toml")):
        for key, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found |= {
                f"{path.name} {key} {name}": entry[name]
                for name in _STATES
                if isinstance(entry, dict) and isinstance(entry.get(name), str)
            }
    return found


def test_a_meaning_of_a_line_denies_no_loss_that_other_lines_can_show():
    texts = texts_of_packs()
    assert len(texts) > 3_000
    assert {name: text for name, text in texts.items() if DENIES_A_LOSS.search(text)} == {}


def test_a_meaning_of_a_line_does_not_begin_with_a_name_that_a_capital_would_change():
    named = re.compile(r"\{(?:tp|topic|group)\b")
    assert {name: text for name, text in texts_of_packs().items() if name.endswith(" says") and named.match(text)} == {}
