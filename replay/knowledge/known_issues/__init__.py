"""All known bugs and situations, as data."""

from replay.knowledge.known_issue import KnownIssue
from replay.knowledge.known_issues import (
    both_modes,
    groups_and_transactions,
    kraft,
    migration,
    tiered_storage,
    zookeeper_mode,
)

KNOWN_ISSUES: tuple[KnownIssue, ...] = (
    *zookeeper_mode.ISSUES,
    *kraft.ISSUES,
    *both_modes.ISSUES,
    *migration.ISSUES,
    *tiered_storage.ISSUES,
    *groups_and_transactions.ISSUES,
)
