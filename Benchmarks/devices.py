#!/usr/bin/env python3
"""The cost of a collected message with more and more devices at the same rate, and their memory.

    Benchmarks/devices.py RXLOCATIOND [RATE]
"""
import os, socket, subprocess, sys, tempfile, threading, time

from comparisons.collect import journal_rows, packets
from comparisons.measure import free_port, memory, wait

RATE = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
COUNT = 100_000


def processor_time(process):
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drain(client):
    """Reads the broker's acknowledgements until the connection ends."""
    try:
        while client.recv(1 << 16):
            pass
    except OSError:
        pass


def measure(devices, folder):
    port = free_port()
    with open(f"{folder}/mosquitto.conf", "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 1000\nmax_queued_messages 0\n"
                   "log_type subscribe\n")
    log = open(f"{folder}/log", "w")
    broker = subprocess.Popen(["mosquitto", "-c", f"{folder}/mosquitto.conf"], stdout=log, stderr=log)
    wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker listens", 10)
    collector = subprocess.Popen(
        [sys.argv[1], "collect", "--subscribe", f"mqtt://127.0.0.1:{port}", "--format", "none", "--journal",
         f"{folder}/fleet.db"], stderr=subprocess.DEVNULL)
    try:
        wait(lambda: "owntracks/+/+" in open(f"{folder}/log").read(), "it has subscribed", 10)
        messages = packets(devices, devices + COUNT)
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"\x10\x15\x00\x04MQTT\x04\x02\x00\x00\x00\x09benchmark")
            threading.Thread(target=drain, args=(client,), daemon=True).start()
            # All devices exist before the measurement.
            for index in range(0, devices, 200):
                client.sendall(b"".join(messages[index:min(index + 200, devices)]))
            wait(lambda: journal_rows(folder) >= devices, "all devices have appeared", 120)
            used, start = processor_time(collector), time.monotonic()
            for index in range(devices, len(messages), 200):
                time.sleep(max(0, (index - devices) / RATE - (time.monotonic() - start)))
                client.sendall(b"".join(messages[index:index + 200]))
            wait(lambda: journal_rows(folder) >= len(messages), "all are kept", 120)
            return (processor_time(collector) - used) / COUNT * 1e6, memory(collector, "VmHWM")
    finally:
        for process in [collector, broker]:
            process.kill()
            process.wait()


for devices in [1000, 10_000, 100_000]:
    with tempfile.TemporaryDirectory() as folder:
        cost, size = measure(devices, folder)
        print(f"{devices} devices at {RATE} messages a second: {cost:.1f} µs of processor time a message, {size:.0f} MiB", flush=True)
