"""Producers whose acknowledgements are known, and consumers whose positions are known."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from traces.recorder.cluster import Cluster, quiet


class Acked(NamedTuple):
    """One record that the cluster acknowledged; `t`: when the acknowledgement came, `sent_t`: when it was sent."""

    topic: str
    partition: int
    offset: int
    seq: int
    acks: str
    t: float
    sent_t: float


class Failed(NamedTuple):
    """One record that the producer failed to send."""

    topic: str
    partition: int
    seq: int
    t: float
    error: str


class Consumed(NamedTuple):
    """One record that a consumer read. A consumer's position in a partition is the offset of its last row, plus 1."""

    reader: str
    topic: str
    partition: int
    offset: int
    seq: int
    t: float


class Writer:
    """Writes numbered records to one topic, its partitions in turn."""

    def __init__(
        self, cluster: Cluster, topic: str, acks: str, partitions: int, rate: float = 60, **config: Any
    ) -> None:
        self.cluster, self.topic, self.acks, self.partitions, self.rate = cluster, topic, acks, partitions, rate
        self.acked: list[Acked] = []
        self.failed: list[Failed] = []
        self._config = config
        self._goes_on = True
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self) -> None:
        own: dict[str, Any] = {
            "bootstrap.servers": self.cluster.bootstrap,
            "acks": self.acks,
            "linger.ms": 5,
            "message.timeout.ms": 20000,
            "request.timeout.ms": 4000,
            "enable.idempotence": False,
            "max.in.flight": 1,
            "socket.timeout.ms": 6000,
            "topic.metadata.refresh.interval.ms": 2000,
            "reconnect.backoff.max.ms": 1000,
        }
        producer = Producer(own | self._config | quiet())
        seq = 0
        while self._goes_on:
            with contextlib.suppress(BufferError):
                self._send(producer, seq)
                seq += 1
            producer.poll(0)
            time.sleep(1 / self.rate)
        producer.flush(30)

    def _send(self, producer: Producer, seq: int) -> None:
        sent, partition = time.time(), seq % self.partitions
        try:
            producer.produce(
                self.topic,
                value=str(seq),
                partition=partition,
                on_delivery=lambda error, message: self._delivered(error, message, seq, sent),
            )
        except KafkaException as error:  # the client no longer knows the topic
            self.failed.append(Failed(self.topic, partition, seq, sent, str(error.args[0].name())))

    def _delivered(self, error: KafkaError | None, message: Message, seq: int, sent: float) -> None:
        now, partition = time.time(), message.partition()
        if error:
            self.failed.append(Failed(self.topic, partition, seq, now, str(error.name())))
        else:
            self.acked.append(Acked(self.topic, partition, message.offset(), seq, self.acks, now, sent))

    def stop(self) -> None:
        """Waits for records in flight, and ends the thread."""
        self._goes_on = False
        self._thread.join(45)


class Load:
    """Writes records of 100,000 bytes, each with a key of its own, to partitions in turn; nobody asks what became of them."""

    def __init__(
        self,
        cluster: Cluster,
        topic: str,
        partitions: Sequence[int],
        rate: float = 400,
        value: bytes | None = None,
        **config: Any,
    ) -> None:
        self._value = random.Random(7).randbytes(1000) * 100 if value is None else value
        self._config = {"bootstrap.servers": cluster.bootstrap, "acks": "1", "queue.buffering.max.kbytes": 20000}
        self._config |= config | quiet()
        self._topic, self._partitions, self._rate = topic, list(partitions), rate
        self._goes_on = True
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self) -> None:
        producer, seq = Producer(self._config), 0
        while self._goes_on:
            with contextlib.suppress(BufferError):
                partition = self._partitions[seq % len(self._partitions)]
                producer.produce(self._topic, key=str(seq), value=self._value, partition=partition)
            seq += 1
            producer.poll(0)
            time.sleep(1 / self._rate)
        producer.purge()
        producer.flush(2)

    def stop(self) -> None:
        """Ends the thread and drops what is not sent."""
        self._goes_on = False
        self._thread.join(20)


class Reader:
    """Reads one topic from the earliest offset and keeps every record with its time.

    Without a group the consumer keeps its position itself. In a group the position is committed every five seconds, and
    `restart` continues from the last commit and reads the records after it again.
    """

    def __init__(self, cluster: Cluster, topic: str, partitions: int, group: str | None = None) -> None:
        self.cluster, self.topic, self.partitions, self.group = cluster, topic, partitions, group
        self.name = f"{group or 'assigned'}-{topic}"
        self.consumed: list[Consumed] = []
        self._goes_on = True
        self._again = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _consumer(self) -> Consumer:
        own: dict[str, Any] = {
            "bootstrap.servers": self.cluster.bootstrap,
            "group.id": self.group or self.name,
            "enable.auto.commit": self.group is not None,
            "auto.offset.reset": "earliest",
            "fetch.wait.max.ms": 200,
            "socket.timeout.ms": 6000,
            "topic.metadata.refresh.interval.ms": 2000,
            "reconnect.backoff.max.ms": 1000,
            "session.timeout.ms": 10000,
        }
        consumer = Consumer(own | quiet())
        if self.group:
            consumer.subscribe([self.topic])
        else:
            consumer.assign([TopicPartition(self.topic, p, 0) for p in range(self.partitions)])
        return consumer

    def _read(self) -> None:
        consumer = self._consumer()
        while self._goes_on:
            if self._again.is_set():
                self._again.clear()
                consumer = self._consumer()  # the consumer before it is not closed, as after a crash
            for message in consumer.consume(200, 0.1):
                if not message.error():
                    place = (message.topic(), message.partition(), message.offset())
                    self.consumed.append(Consumed(self.name, *place, int(message.value()), time.time()))
        consumer.close()

    def restart(self) -> None:
        """Replaces the consumer, as after a crash."""
        self.cluster.note("consumer_crash", reader=self.name)
        self._again.set()

    def stop(self) -> None:
        """Ends the thread."""
        self._goes_on = False
        self._thread.join(30)


class Rereader:
    """Reads partitions from the earliest offset, over and over, and keeps nothing."""

    def __init__(self, cluster: Cluster, topic: str, partitions: Sequence[int]) -> None:
        self._config = {"bootstrap.servers": cluster.bootstrap, "group.id": "old-records", "enable.auto.commit": False}
        self._config |= {"queued.max.messages.kbytes": 4000, "fetch.message.max.bytes": 1000000} | quiet()
        self._places = [TopicPartition(topic, p, 0) for p in partitions]
        self._goes_on = True
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        consumer = Consumer(self._config)
        consumer.assign(self._places)
        while self._goes_on:
            if not consumer.consume(200, 1.0):
                consumer.assign(self._places)
        consumer.close()

    def stop(self) -> None:
        """Ends the thread."""
        self._goes_on = False
        self._thread.join(30)


class Holder:
    """Connections that announce requests and do not send them: a broker keeps a buffer of its heap for each."""

    def __init__(self, ip: str) -> None:
        self._ip = ip
        self._open: list[socket.socket] = []

    def hold(self, count: int, size: int = 200_000) -> int:
        """Opens or closes connections until there are `count`, or the broker takes no more. Returns how many there are."""
        with contextlib.suppress(OSError):
            while len(self._open) < count:
                client = socket.create_connection((self._ip, 9092), 2)
                client.sendall(size.to_bytes(4, "big"))
                self._open.append(client)
        while len(self._open) > count:
            self._open.pop().close()
        return len(self._open)


def read_everything(cluster: Cluster, topics: Sequence[str]) -> Counter[tuple[str, int, int]]:
    """How often each record can still be read: its topic, partition and number."""
    own: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap, "group.id": "survivors", "enable.auto.commit": False}
    consumer = Consumer(own | {"auto.offset.reset": "earliest"} | quiet())
    found: Counter[tuple[str, int, int]] = Counter()
    for topic, partition in sorted(key for key in cluster.states() if key[0] in topics):
        low, high = _offsets(consumer, TopicPartition(topic, partition))
        if high <= low:
            continue
        consumer.assign([TopicPartition(topic, partition, low)])
        last, idle = low - 1, 0
        while last < high - 1 and idle < 10:
            messages = [one for one in consumer.consume(5000, 1.0) if not one.error()]
            idle = 0 if messages else idle + 1
            found.update((topic, partition, int(one.value())) for one in messages)
            last = max([last, *(one.offset() for one in messages)])
    consumer.close()
    return found


def _offsets(consumer: Consumer, partition: TopicPartition) -> tuple[int, int]:
    for _ in range(20):
        with contextlib.suppress(Exception):
            low, high = consumer.get_watermark_offsets(partition, timeout=15)
            return int(low), int(high)
        time.sleep(3)
    raise RuntimeError(f"no offsets of {partition.topic}-{partition.partition}: is it without a leader?")
