"""The times of lines: a leap second is the second after it, and no zone is farther than 14 hours from UTC."""

from __future__ import annotations

from replay.reading.stamps import datetime_of, micros_of
from tests.each import for_each


@for_each(
    ("stamp", "zone", "is_read_as"),
    [
        ("2026-12-31 23:59:59.5", None, "2026-12-31T23:59:59.500000+00:00"),
        ("2026-12-31 23:59:60.5", None, "2027-01-01T00:00:00.500000+00:00"),
        ("2027-01-01 05:29:60", "+05:30", "2027-01-01T00:00:00+00:00"),
        ("2027-01-01 08:59:60", "Asia/Tokyo", "2027-01-01T00:00:00+00:00"),
        ("2026-12-31 23:58:60", None, None),
        ("2026-12-31 23:59:61", None, None),
        ("9999-12-31 23:59:60", None, None),
        ("2038-01-19 03:14:08", None, "2038-01-19T03:14:08+00:00"),
        ("2106-02-07 06:28:16", None, "2106-02-07T06:28:16+00:00"),
        ("9999-12-31 23:59:59", None, None),  # no table holds it
        ("2026-11-21 05:34:43", "+14:00", "2026-11-20T15:34:43+00:00"),
        ("2026-11-21 05:34:43", "-12:00", "2026-11-21T17:34:43+00:00"),
        ("2026-11-21 05:34:43", "+14:01", None),
        ("2026-11-21 05:34:43", "+99:99", None),
        ("2026-11-21 05:34:43", "+05:75", None),
    ],
)
def test_a_time_is_read_or_is_unknown(stamp, zone, is_read_as):
    read = datetime_of(micros_of(stamp, zone))
    assert (read and read.isoformat()) == is_read_as
