"""Records incidents of real Kafka clusters on one Linux machine: `make record SCENARIO=kill_leader RELEASE=4.1.1`."""
