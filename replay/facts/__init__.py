"""The cluster apart from its partitions, in plain Python: what its nodes' lines tell of processes, sessions, controllers, releases and settings.

Functions here take rows (`Table.row_class`) and give rows. What is read of events are `FACTS`, few enough for one
machine whatever the input (`replay.facts.reads`); what is needed of every line of a node is
made in one pass over its lines (`node_lines`).
"""
