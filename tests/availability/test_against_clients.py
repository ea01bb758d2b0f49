"""What clients felt, worked out on a few rows."""

from __future__ import annotations

import pandas as pd

from tests.availability.against_clients import _late, felt, gone_and_again

CLOSED = {("orders", 0): [(104.0, 110.0)]}


def acks(*times: float) -> pd.DataFrame:
    return pd.DataFrame({"topic": "orders", "partition": 0, "seq": range(len(times)), "t": times})


def test_a_gap_of_more_than_two_seconds_is_a_wait_and_its_closed_part_is_explained():
    found = felt(acks(100, 101, 103, 111, 112), CLOSED)
    assert (found.waited_s, found.explained_s, found.while_closed) == (8, 6, 0)
    assert found.share == "0.75"


def test_an_acknowledgement_well_inside_a_closed_time_contradicts_it():
    assert felt(acks(100, 104.5, 107, 109.5), CLOSED).while_closed == 1


def test_records_wait_for_their_consumer_from_their_acknowledgement_on():
    """Records 1 and 2 are read at 106, 5 and 2.5 s after they were acknowledged; 0 is read at once."""
    read = pd.DataFrame({"topic": "orders", "partition": 0, "seq": [0, 1, 2], "t": [100.1, 106, 106]})
    assert _late(acks(100, 101, 103.5), read) == {("orders", 0): [(101, 106)]}


def test_what_was_read_and_then_lost_and_what_was_read_twice(tmp_path):
    truth = tmp_path / "truth"
    truth.mkdir()
    rows = [("assigned-orders", 0, 0), ("assigned-orders", 1, 1), ("assigned-orders", 1, 1), ("group-orders", 1, 1)]
    read = pd.DataFrame(rows, columns=["reader", "offset", "seq"]).assign(topic="orders", partition=0, t=100.0)
    read.to_csv(truth / "consumed.csv.gz", index=False)
    pd.DataFrame({"topic": ["orders"], "partition": [0], "seq": [1]}).to_csv(truth / "lost.csv", index=False)
    assert gone_and_again(tmp_path) == (2, 1, 1)
