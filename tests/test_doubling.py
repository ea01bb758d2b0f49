"""Each stage of reading, hiding, explaining and drawing needs time in proportion to its input, whatever strangers
write into a log.
"""

from __future__ import annotations

import pandas as pd

from tests.doubling import grows_too_fast
from viz.partitions import Step, _story


def test_a_stage_that_compares_all_parts_is_found_and_a_linear_one_is_not():
    assert grows_too_fast(lambda parts: [sum(parts[:i]) for i in range(len(parts))], lambda n: [1] * n, 500)
    assert grows_too_fast(lambda parts: [sorted(str(part)) for part in parts], lambda n: [1] * n, 500) is None


def test_the_history_of_a_partition_with_many_steps():
    def steps(count: int) -> list[Step]:
        begin = pd.Timestamp("2026-11-21 05:30")
        kinds = ("leader", "ISR", "cut")
        return [Step(begin + pd.Timedelta(seconds=n), kinds[n % 3], f"step {n}", ()) for n in range(count)]

    assert grows_too_fast(lambda given: _story(("orders", 0), given), steps, 500) is None
