"""What Kafka's lines mean, as data, and what some lines say together: plain Python, for one pasted line or a whole log.

`replay.knowledge.reading` chooses a meaning by the line's wording and another by its exception;
`known_bugs` are signatures of bugs of certain releases; `explained` makes one answer of them.
Sources: the source of Kafka and its documentation, kafka-replication-facts, the issues named.
"""
