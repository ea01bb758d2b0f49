"""What Kafka's lines mean, as data, and what several lines mean together: plain Python, for one pasted line or a whole
log.

`replay.knowledge.reading` chooses one meaning by the line's wording and one by its exception; `known_bugs` are
signatures of bugs of certain releases; `explained` combines them into one answer. Sources: the source of Kafka and its
documentation, kafka-replication-facts, the named issues.
"""
