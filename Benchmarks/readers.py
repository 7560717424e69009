#!/usr/bin/env python3
"""Many readers of one region socket, one of them stalled; then abuse; then SIGTERM.

usage: Benchmarks/readers.py RXLOCATIOND [--readers 1000] [--seconds 60]

Replays Recordings/drive.nmea at ten times its pace (10 regions a second) to that many readers. Prints the received and
lost regions of the readers, the daemon's resident memory and descriptors over time, and the time to end on SIGTERM with
all readers attached. The status is 1 if an active reader has lost a region, memory or descriptors have grown, or the end
took longer than a second.
"""
import argparse, json, os, selectors, signal, socket, subprocess, sys, tempfile, time

from comparisons.measure import DRIVE, memory

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("binary")
parser.add_argument("--readers", type=int, default=1000)
parser.add_argument("--seconds", type=float, default=60)
arguments = parser.parse_args()

folder = tempfile.mkdtemp()
path = os.path.join(folder, "regions")
daemon = subprocess.Popen(
    [arguments.binary, "replay", DRIVE, "--speed", "10", "--loop", "--format", "none", "--region-socket", "unix:" + path],
    stderr=subprocess.DEVNULL,
)


def connect():
    reader = socket.socket(socket.AF_UNIX)
    for _ in range(500):
        try:
            reader.connect(path)
            return reader
        except OSError:
            time.sleep(0.02)
    sys.exit("no process listens at " + path)


def descriptors():
    return len(os.listdir(f"/proc/{daemon.pid}/fd"))


failures = []
connect().close()
before = descriptors()
stalled = connect()
selector = selectors.DefaultSelector()
lines = {}
for _ in range(arguments.readers - 1):
    reader = connect()
    reader.setblocking(False)
    lines[reader] = bytearray()
    selector.register(reader, selectors.EVENT_READ)


def drain(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for key, _ in selector.select(0.2):
            data = key.fileobj.recv(65536)
            if data:
                lines[key.fileobj] += data
            else:
                selector.unregister(key.fileobj)
                failures.append("a reader was closed")


drain(5)
samples = [memory(daemon, "VmRSS")]
start = time.monotonic()
while time.monotonic() - start < arguments.seconds:
    drain(arguments.seconds / 6)
    samples.append(memory(daemon, "VmRSS"))
print("resident MiB:", " ".join(f"{sample:.1f}" for sample in samples))
if samples[-1] > samples[0] * 1.1 + 1:
    failures.append("memory grew")

# The regions of every reader must be a contiguous part of those of the longest one.
received = [bytes(data[: data.rfind(b"\n") + 1]).splitlines() for data in lines.values()]
reference = max(received, key=len)
dropped = sum(json.loads(line)["type"] == "dropped" for each in received for line in each)
gaps = 0
for each in received:
    first = reference.index(each[0]) if each and each[0] in reference else -1
    length = min(len(each), len(reference) - first)
    gaps += first < 0 or reference[first : first + length] != each[:length]
print(f"{len(received)} readers: {min(map(len, received))} to {max(map(len, received))} regions each, {dropped} dropped, {gaps} with a gap")
if dropped or gaps:
    failures.append("a reader lost regions")

for number in range(10000):
    visitor = connect()
    visitor.send(b"junk\n")
    visitor.close()
    if number % 100 == 0:
        drain(0.01)
drain(2)
after = descriptors()
print(f"10000 visitors: {after - before - arguments.readers} descriptors more, {memory(daemon, 'VmRSS'):.1f} MiB")
if after - before - arguments.readers > 2:
    failures.append("descriptors leaked")

began = time.monotonic()
daemon.send_signal(signal.SIGTERM)
try:
    status = daemon.wait(10)
except subprocess.TimeoutExpired:
    daemon.kill()
    status = "none"
took = time.monotonic() - began
print(f"ended with status {status} after {took:.2f} s")
if status != 0 or took > 1:
    failures.append("slow or wrong end")
sys.exit("; ".join(sorted(set(failures))) or 0)
