"""Every wording at WARN or above has a meaning, and what is said is whole sentences with the line's own values."""

from __future__ import annotations

import re

import pytest

from replay.catalogue import TEMPLATES
from replay.knowledge.choosing import EXCEPTIONS, SIGNS, WARN, WORDINGS, wording_of
from replay.knowledge.explaining import explained
from replay.knowledge.meaning import WEIGHTS, filled
from replay.knowledge.text_lines import LEVELS, Line

WARNINGS = [template for template in TEMPLATES if LEVELS.get(template.level, 0) >= WARN]
MEANINGS = (*WORDINGS, *SIGNS, *EXCEPTIONS)


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


@pytest.mark.parametrize("template", WARNINGS, ids=lambda template: template.id)
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


@pytest.mark.parametrize("meaning", MEANINGS, ids=lambda meaning: meaning.key)
def test_a_meaning_is_whole(meaning):
    assert meaning.weight in WEIGHTS and meaning.whose and meaning.next
    assert meaning.says.endswith((".", "}", ">"))
    known = {m.key for m in MEANINGS}
    assert set(meaning.follows) <= known
    assert meaning.kinds or meaning.ids or meaning.wording or meaning.exception


def test_what_has_no_value_is_left_out_or_said_otherwise():
    assert (
        filled("connection<to {peer}> of {me|a broker}.", {"peer": "10.0.0.1"}) == "connection to 10.0.0.1 of a broker."
    )
    assert filled("connection<to {peer}> of {me|a broker}.", {"me": "broker 2"}) == "connection of broker 2."
