"""Times of texts in another zone, and what is no time of a text."""

from __future__ import annotations

from pipelines.answers.times import Clock, zone
from pipelines.commands.post_mortem import post_mortem
from tests.answers.small_result import write
from tests.each import for_each
from viz.zones import moved, name_of


@for_each(
    ("text", "expected"),
    [
        ("2026-11-21 23:37:33.537 to 00:39:14.006 UTC.", "2026-11-22 00:37:33.537 to 01:39:14.006 UTC+01:00."),
        ("between 05:37:18 and 05:38:19", "between 06:37:18 and 06:38:19"),
        ("from 2026-12-31T23:30 on", "from 2027-01-01T00:30 on"),
        (
            "run `journalctl --since '2026-11-21 05:35:34 UTC'` at 05:35:34",
            "run `journalctl --since '2026-11-21 05:35:34 UTC'` at 06:35:34",
        ),
        ("Began with: killed/2/2026-11-21T05:37:34.037Z", "Began with: killed/2/2026-11-21T05:37:34.037Z"),
        (
            "10.77.0.9:2181, node-1/server.log:45, 99:99:99, 00:1a:2b, 2026-02-31 10:00:00",
            "10.77.0.9:2181, node-1/server.log:45, 99:99:99, 00:1a:2b, 2026-02-31 10:00:00",
        ),
        ("Lost: 8,390 offsets [293, 1162) in 43.9 s", "Lost: 8,390 offsets [293, 1162) in 43.9 s"),
    ],
)
def test_times_move_and_nothing_else(text, expected):
    assert moved(text, 60) == expected
    assert moved(text, 0) == text


def test_an_offset_has_its_sign_and_its_minutes():
    assert [name_of(minutes) for minutes in (0, 330, -210)] == ["UTC", "UTC+05:30", "UTC-03:30"]
    assert moved("at 01:15:00 UTC", -210) == "at 21:45:00 UTC-03:30"


def test_a_zone_has_the_offset_of_that_time():
    import pandas as pd

    berlin = Clock(zone("Europe/Berlin"))
    assert berlin.sentence("at 05:38:00 UTC", pd.Timestamp("2026-11-21")) == "at 06:38:00 UTC+01:00"
    assert berlin.sentence("at 05:38:00 UTC", pd.Timestamp("2026-07-21")) == "at 07:38:00 UTC+02:00"
    assert berlin.sentence("at 05:38:00 UTC", None) == "at 05:38:00 UTC"


def test_the_post_mortem_has_all_its_times_in_the_zone(tmp_path):
    result = write(tmp_path / "r")
    utc, tokyo = ("\n".join(post_mortem(result, short=True, tz=name)) for name in (None, "Asia/Tokyo"))
    assert " UTC" in utc and "UTC+09:00" in tokyo and moved(utc, 540) == tokyo
