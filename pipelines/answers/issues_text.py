"""A known issue as text, and the issues that can affect a release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from replay.errors import InputError
from replay.knowledge.known_issue import KnownIssue
from replay.knowledge.known_issues import KNOWN_ISSUES
from replay.knowledge.releases import is_release, text_of_releases


def issue_named(key: str) -> KnownIssue | None:
    """The issue with this key, like `KAFKA-6292`, in upper or lower case; None if there is none."""
    return next((issue for issue in KNOWN_ISSUES if issue.key.lower() == key.lower()), None)


def text_of_issue(issue: KnownIssue) -> Iterator[str]:
    """One issue as text, one line per field."""
    yield f"{issue.key}: {issue.title}"
    for name, text in (
        ("Affected", issue.affected_text),
        ("Fixed in", issue.fixed_text),
        ("Where", issue.roles),
        ("Impact", issue.consequence),
        ("Recovers", issue.heals),
        ("Do", issue.advice),
        ("Looks the same", issue.look_alike),
        ("Confidence", "sure" if issue.is_sure else "likely"),
        ("Source", issue.source),
        ("Seen", issue.seen_in or "in no recording at hand: the lines are known from Kafka's source"),
    ):
        if text:
            yield f"  {name:<15} {text}"
    for sign in issue.signature:
        with_logger = f" ({sign.logger})" if sign.logger else ""
        often = f", at least {sign.times} times" if sign.times > 1 else ""
        yield f"  {'must not stand' if sign.absent else 'its lines':<15} {sign.regex}{with_logger}{often}"


def issues_of(release: str | None) -> list[KnownIssue]:
    """The bugs that `release` has, or all of them. Raises InputError for a release that Kafka never had."""
    if release is not None and not is_release(release):
        raise InputError(f"{release}: not a release of Kafka; give one like 3.6.0")
    return [issue for issue in KNOWN_ISSUES if issue.is_bug and (release is None or issue.affects(release))]


def row_of_issue(issue: KnownIssue) -> dict[str, str]:
    """An issue in brief: `key`, `affected` and `fixed_in` as text, `title`."""
    affected = text_of_releases(issue.affected)
    return {"key": issue.key, "affected": affected, "fixed_in": issue.fixed_text, "title": issue.title}


def text_of_row(row: Mapping[str, str]) -> str:
    """An issue's brief row as one line of text."""
    return f"{row['key']:<14} {row['affected']:<34}  fixed in {row['fixed_in']:<28}  {row['title']}"
