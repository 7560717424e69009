#!/usr/bin/env python3
"""How late standard output is while the broker is away, beside a daemon that publishes nothing, in the same run.

    Benchmarks/publish/latency.py BINARY [SECONDS]

Both follow a stand-in for gpsd that reports ten fixes a second. One keeps a journal in which 100,000 rows wait for a broker
that is not there.
"""
import os, re, shutil, signal, socket, statistics, subprocess, sys, tempfile, threading, time

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from run import recording, resident, rows
from standin import StandIn

WAITING = 100_000


def arrivals(process):
    """When each time came out of a daemon, filled by a thread."""
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
    folder = tempfile.mkdtemp(prefix="publish-latency-")
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        journal = f"{folder}/journal.db"
        publishing = ["--journal", journal, "--publish", f"mqtt://127.0.0.1:{port}", "--publish-topic", "benchmark"]
        recording(f"{folder}/recording.nmea", WAITING)
        filling = subprocess.Popen([binary, "replay", f"{folder}/recording.nmea", "--speed", "max", "--format", "none",
                                    *publishing], stderr=subprocess.DEVNULL)
        while rows(journal)[0] < WAITING - 1:
            time.sleep(0.1)
        filling.send_signal(signal.SIGTERM)
        filling.wait()

        stand_in = StandIn(10)
        daemons, times = [], []
        for more in ([], publishing):
            daemon = subprocess.Popen([binary, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", *more],
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            daemons.append(daemon)
            times.append(arrivals(daemon))
            while len(stand_in.clients) < len(daemons):
                time.sleep(0.05)
        stand_in.report(3)
        before = resident(daemons[1])
        stand_in.sent.clear()
        stand_in.report(seconds)
        time.sleep(1)
        for index, name in enumerate(["without", "broker away"]):
            delays = sorted(times[index][stamp] - sent[index] for stamp, sent in stand_in.sent.items()
                            if stamp in times[index])
            print(f"{name:12} {len(delays)} fixes: median {statistics.median(delays) * 1e3:.2f} ms, "
                  f"99 of 100 within {delays[len(delays) * 99 // 100] * 1e3:.2f} ms")
        print(f"resident with the broker away: {before} KiB, after {seconds} s {resident(daemons[1])} KiB")
        print(f"{rows(journal)[0] - rows(journal)[1]} rows wait")
        for daemon in daemons:
            started = time.monotonic()
            daemon.send_signal(signal.SIGTERM)
            print(f"SIGTERM: status {daemon.wait()} after {time.monotonic() - started:.2f} s")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
