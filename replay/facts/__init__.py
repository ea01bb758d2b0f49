"""The cluster without its partitions, in plain Python: processes, sessions, controllers, releases and settings of nodes.

Functions take and return rows (`Table.row_class`). They read events as `FACTS`, which fit on one machine for any input
(`replay.facts.reads`). One pass over each node's lines makes what needs every line (`node_lines`).
"""
