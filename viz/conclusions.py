"""What the page concludes from all rows of its tables: sums, counts, and which problems existed at which time. It is
computed before a table is cut to the rows that a page can list (`viz.frames.conclusion` keeps it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pandas as pd

from viz import availability, cluster, isr, ledgers, overview, preferred_leaders, summary, topics
from viz.frames import OnDemand

CONCLUSIONS: tuple[Callable[[Mapping[str, pd.DataFrame]], Any], ...] = (
    availability.writes_by_topic,
    availability.closed_spans,
    availability.topic_lives,
    availability.ever_blocked,
    availability.ends_of_waits,
    isr.sync_spans,
    partial(isr.out_of_sync, internal=False),
    partial(isr.out_of_sync, internal=True),
    overview.election_times,
    preferred_leaders.times_off,
    cluster.broker_ids,
    cluster.controller_ids,
    summary.incidents_of_faults,
    summary.why_lost,
    summary.still_held,
    summary.loss_outside_incidents,
    summary.rebuilt,
    ledgers.loss_totals,
    ledgers.undecided,
    ledgers.agreement,
    topics.topic_harms,
)


def concluded(load: Callable[[str], pd.DataFrame | None]) -> Mapping[str, Any]:
    """The conclusions by name, while the tables have all of their rows. `load` returns a table; only those that
    conclusions read are loaded.
    """
    whole = OnDemand(load)
    for conclude in CONCLUSIONS:
        conclude(whole)
    return whole.concluded
