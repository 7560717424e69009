#!/usr/bin/env python3
"""The cost of a collected message with more and more devices at the same rate, and their memory.

    Benchmarks/devices.py RXLOCATIOND [RATE]
"""
import os, socket, sys, tempfile, threading, time

from comparisons.collect import Broker, journal_rows, packets
from comparisons.measure import memory, processor, wait

RATE = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
COUNT = 100_000


def drain(client):
    """Reads the broker's acknowledgements until the connection ends."""
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


def measure(devices, folder):
    journal = os.path.join(folder, "fleet.db")
    with Broker(folder) as broker:
        collector = broker.collector(sys.argv[1], "u", journal)
        messages = list(packets("u", devices, range(devices + COUNT), int(time.time()) - 1_000_000))
        with socket.create_connection(("127.0.0.1", broker.port)) as client:
            client.sendall(b"\x10\x15\x00\x04MQTT\x04\x02\x00\x00\x00\x09benchmark")
            threading.Thread(target=drain, args=(client,), daemon=True).start()
            # All devices exist before the measurement.
            for index in range(0, devices, 200):
                client.sendall(b"".join(messages[index:min(index + 200, devices)]))
            wait(lambda: journal_rows(journal) >= devices, "all devices have appeared", 120)
            used, start = processor(collector), time.monotonic()
            for index in range(devices, len(messages), 200):
                time.sleep(max(0, (index - devices) / RATE - (time.monotonic() - start)))
                client.sendall(b"".join(messages[index:index + 200]))
            wait(lambda: journal_rows(journal) >= len(messages), "all are kept", 120)
            return (processor(collector) - used) / COUNT * 1e6, memory(collector, "VmHWM")


for devices in [1000, 10_000, 100_000]:
    with tempfile.TemporaryDirectory() as folder:
        cost, size = measure(devices, folder)
        print(f"{devices} devices at {RATE} messages a second: {cost:.1f} µs of processor time a message, {size:.0f} MiB", flush=True)
