#!/usr/bin/env python3
"""The delay of standard output while the broker is away, beside a daemon that publishes nothing, in the same run.

usage: Benchmarks/latency.py RXLOCATIOND [SECONDS]

Both follow a stand-in for gpsd that reports ten fixes a second. One keeps a journal in which 100,000 rows wait for a missing
broker.
"""
import re, signal, statistics, subprocess, sys, tempfile, threading, time

from comparisons.measure import StandIn, free_port, memory, percentile, wait
from comparisons.publish import recording, rows

WAITING = 100_000


def arrivals(process):
    """The arrival of each time in a daemon's output, filled by a thread."""
    times = {}

    def read():
        for line in process.stdout:
            moment = time.monotonic()
            found = re.search(rb'"time":"([^"]*)"', line)
            if found:
                times[found[1].decode()] = moment

    threading.Thread(target=read, daemon=True).start()
    return times


def main():
    binary, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 60
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        journal = f"{folder}/journal.db"
        publishing = ["--journal", journal, "--publish", f"mqtt://127.0.0.1:{free_port()}", "--publish-topic", "benchmark"]
        recording(f"{folder}/recording.nmea", WAITING)
        filling = subprocess.Popen([binary, "replay", f"{folder}/recording.nmea", "--speed", "max", "--format", "none",
                                    *publishing], stderr=subprocess.DEVNULL)
        wait(lambda: rows(journal)[0] >= WAITING - 1, "the journal is full", 300)
        filling.send_signal(signal.SIGTERM)
        filling.wait()

        stand_in = StandIn(10)
        daemons, times = [], []
        for more in ([], publishing):
            daemon = subprocess.Popen([binary, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", *more],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            daemons.append(daemon)
            times.append(arrivals(daemon))
            wait(lambda: len(stand_in.clients) == len(daemons), "the daemons connect")
        stand_in.report(3)
        before = memory(daemons[1], "VmRSS")
        stand_in.sent.clear()
        stand_in.report(seconds)
        time.sleep(1)
        for index, name in enumerate(["without", "broker away"]):
            delays = [times[index][stamp] - sent[index] for stamp, sent in stand_in.sent.items() if stamp in times[index]]
            print(f"{name:12} {len(delays)} fixes: median {statistics.median(delays) * 1e3:.2f} ms, "
                  f"99 of 100 within {percentile(delays, 0.99) * 1e3:.2f} ms")
        print(f"resident with the broker away: {before:.1f} MiB, after {seconds} s {memory(daemons[1], 'VmRSS'):.1f} MiB")
        print(f"{rows(journal)[0] - rows(journal)[1]} rows wait")
        for daemon in daemons:
            started = time.monotonic()
            daemon.send_signal(signal.SIGTERM)
            print(f"SIGTERM: status {daemon.wait()} after {time.monotonic() - started:.2f} s")


if __name__ == "__main__":
    main()
