"""The timelines of partitions as Spark windows: leader epochs, ISRs, high watermarks.

Each module holds one query, a function from a frame to a frame. A run uses all three, and a notebook can call each
alone:

    from replay.timelines.leader_epochs import leader_epochs

    leader_epochs(partition_state_reports).where("topic = 'orders' and partition = 3").show()

`folds` has the same functions in plain Python, over rows. `explain` uses them, and tests compare each with its query.
"""
