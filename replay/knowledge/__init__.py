"""What Kafka's lines mean, as data, and what several lines mean together: plain Python, for one pasted line or a
whole log.

`replay.knowledge.choosing` chooses the meaning of a line's wording and that of its exception; `known_issues` holds
signatures of bugs of certain releases; `explained` combines them into one answer. Sources: Kafka's source and
documentation, kafka-replication-facts, the named issues.
"""
