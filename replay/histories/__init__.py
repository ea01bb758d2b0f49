"""The history of one partition, in plain Python: leader-epoch caches, truncations, losses, availability.

A maker is a function of the rows of one partition (of several tables) and of facts about the cluster; one pass over all
partitions calls it (`replay.passes`).
"""
