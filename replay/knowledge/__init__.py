"""What Kafka's lines mean, as data, and what several lines mean together: plain Python, for one pasted line or a
whole log.

`packs` holds all entries as TOML, which `pack` reads and checks, and `library` keeps in their precedence.
`replay.knowledge.choosing` chooses the meaning of a line's wording and that of its exception; `explained` combines all
into one answer. Sources: Kafka's source and
documentation, kafka-replication-facts, the named issues.
"""
