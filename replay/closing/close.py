"""Applies the closing rules to statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from replay.closing.known import Known
from replay.closing.rules import CLOSING_RULES, Case, ClosingRule
from replay.facts.groups import by_key
from replay.sentences.statement import Statement
from replay.tables.causes import Conclusion

_OF_CODE: Mapping[str, Sequence[ClosingRule]] = by_key(CLOSING_RULES, lambda rule: rule.code)


def closed(statements: Iterable[Statement], known: Known, incident_id: str | None = None) -> list[Statement]:
    """The statements that no fact refutes; a refuted one is left out, or the stronger one stands in its place."""
    return [one for made in statements for one in _closed(Case(made, known, incident_id))]


def closed_conclusions(drawn_conclusions: Iterable[Conclusion], known_facts: Known) -> list[Conclusion]:
    """The conclusions, with the statements that no fact refutes."""
    return [_closed_conclusion(one, known_facts) for one in drawn_conclusions]


def _closed_conclusion(conclusion: Conclusion, known: Known) -> Conclusion:
    lists = {name: getattr(conclusion, name) or [] for name in ("said", "not_logged")}
    changed = {
        name: [
            {"reason": one.reason, "arguments": dict(one.arguments)}
            for made in some
            for one in _closed(
                Case(Statement(made["reason"], made["arguments"] or {}), known, conclusion.incident_id, conclusion)
            )
        ]
        for name, some in lists.items()
        if any(made["reason"] in _OF_CODE for made in some)
    }
    return conclusion.but(**changed) if changed else conclusion


def _closed(case: Case) -> Iterator[Statement]:
    """The statement after each of its rules; nothing if one of them takes it away."""
    made: Statement | None = case.statement
    for rule in _OF_CODE.get(case.statement.reason, ()):
        if made is None or made.reason != rule.code:
            break
        now = Case(made, case.known, case.incident_id, case.conclusion)
        if rule.clause and rule.clause not in made.arguments:
            continue
        if rule.refutes(now):
            made = now.but(**{rule.clause: None}) if rule.clause else rule.instead(now) if rule.instead else None
    if made is not None:
        yield made
