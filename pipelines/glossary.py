"""The meaning of each code: faults (F), rules of cause and effect (R), ways to lose records (S), invariants (I),
verdicts of losses.
"""

from __future__ import annotations

import re

import pandas as pd

from replay.causes.rules import MECHANISMS
from replay.faults.kinds import BY_CODE, CODES, FaultCode
from replay.histories.scenarios import SCENARIOS
from replay.invariants.rules import INVARIANTS
from replay.tables.losses import VERDICTS

SORTS = {
    "F": "faults",
    "R": "rules of cause and effect",
    "S": "ways to lose records",
    "I": "invariants",
}
_ABBREVIATIONS = {"Isr": "ISR", "Elr": "ELR", "Hwm": "high watermark"}


def glossary() -> pd.DataFrame:
    """Every code with its name and meaning, in the order F, R, S, I, verdicts: `code`, `name`, `means`; for faults
    also `look_next`, the `settings` that they depend on, and `stops_process`.
    """
    rows = [(code.code, code.name, code.means) for code in (*CODES, *MECHANISMS, *SCENARIOS)]
    rows += [(rule.id, _spaced(rule.name), rule.states) for rule in INVARIANTS]
    rows += [(verdict, "Verdict of a loss", means) for verdict, means in VERDICTS.items()]
    codes = pd.DataFrame(rows, columns=["code", "name", "means"])
    faults = [BY_CODE.get(code, FaultCode(code, "", "")) for code in codes.code]
    return codes.assign(
        look_next=[fault.look_next for fault in faults],
        settings=[fault.settings for fault in faults],
        stops_process=[fault.stops_process for fault in faults],
    )


def _spaced(name: str) -> str:
    """`NoTruncationBelowCommit` as `No truncation below commit`."""
    words = [word if word in _ABBREVIATIONS else word.lower() for word in re.findall("[A-Z][a-z]*", name)]
    text = " ".join(_ABBREVIATIONS.get(word, word) for word in words)
    return text[:1].upper() + text[1:]


def which_codes(codes: pd.DataFrame) -> str:
    """The codes of a glossary in words: `F00 to F32 (faults), …`."""
    of_sort = {sort: [code for code in codes.code if code[0] == sort and code[1:].isdecimal()] for sort in SORTS}
    numbered = ", ".join(f"{of_sort[sort][0]} to {of_sort[sort][-1]} ({name})" for sort, name in SORTS.items())
    return f"{numbered}, and the verdicts {', '.join(VERDICTS)}; `known-issues` lists the bugs (KAFKA-NNNN)"
