"""What `make learn` takes for new in a release."""

from __future__ import annotations

import pytest

from replay.catalogue.template import Template
from replay.catalogue.template_files import written
from tests.each import for_each
from tests.learn import ends_before, extended, nearest, read_templates
from tests.recordings import TRACES


@for_each(
    ("seen", "release", "expected"),
    [
        ("3.6.2-4.3.1", "4.4.0", True),
        ("3.6.2-4.3.1", "4.3.1", False),
        ("0.10.2-2.8.2", "0.9.0", False),
        ("0.9.0-0.9.0", "0.10.0", True),
        ("2.4.1-2.8.2 3.9.1-4.4.0", "4.4.0", False),
        ("0.10.2.2-4.0-dev", "4.4.0", True),
        ("0.10.2.2-4.0-dev", "3.9.1", False),
    ],
)
def test_a_template_is_older_than_a_release_if_all_its_ranges_are(seen, release, expected):
    assert ends_before(seen, release) is expected


def table(seen: str) -> str:
    """Two templates, the first of which is printed by these releases."""
    return written(
        [
            Template("A-001", "kind", "WARN", "Broker|Server", seen, "one 1.0.0", "one 1.0.0"),
            Template("A-002", "kind", "WARN", "*", "3.7.1-4.3.1", "two", "two"),
        ]
    )


@pytest.mark.parametrize(
    ("seen", "after"),
    [
        ("3.7.1-4.3.1", "3.7.1-4.4.0"),
        ("2.4.1-2.8.2 3.9.1-4.3.1", "2.4.1-2.8.2 3.9.1-4.4.0"),
        ("4.3.1", "4.3.1-4.4.0"),
        ("3.7.1-3.9.0 4.0-dev-4.3.1", "3.7.1-3.9.0 4.0-dev-4.4.0"),
    ],
)
def test_a_release_is_written_into_the_last_range_of_the_templates_that_were_read(seen, after):
    assert extended(table(seen), {"A-001"}, "4.4.0") == table(after)


def test_the_nearest_recordings_are_of_the_same_mode_and_not_later():
    assert [path.name for path in nearest("4.4.0", "kraft")] == ["unclean-election-elr-kraft-4.2.0"]
    assert [path.name for path in nearest("4.1.2", "kraft")] == ["kill-leader-kraft-4.1.1"]
    assert [path.name for path in nearest("2.8.2", "zk")] == ["unclean-election-zk-2.8.2"]


def test_templates_are_counted_by_record():
    """KRC-245 has its example from this recording, of more than 6,000 lines."""
    found = read_templates([TRACES / "kill-leader-kraft-4.1.1"])
    assert found["KRC-245"] > 0 and sum(found.values()) > 1000
