"""One partition, thought through in plain Python: leader-epoch caches, cuts, losses, availability.

A history is a function of what is known of one partition (rows of several tables) and of the cluster's facts. Spark
runs it for every partition in one sorted pass (`replay.histories.fold`).
"""
