"""One partition, thought through in plain Python: leader-epoch caches, cuts, losses, availability.

A maker is a function of what is known of one partition (rows of several tables) and of the cluster's facts; one pass
over all partitions runs it (`replay.passes`).
"""
