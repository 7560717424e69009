#!/usr/bin/env python3
"""The time of the map page for earlier periods from the journal: a day at ten fixes a second, and a month at one. The receiver
repeatedly drives for an hour and a half and rests for half an hour.

    Benchmarks/history.py RXLOCATIOND
"""
import json, sys, tempfile, time, urllib.request

from comparisons.history import serve, target


def processor_time(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(name, seconds, rate):
    with tempfile.TemporaryDirectory() as folder:
        process, port = serve(sys.argv[1], folder, seconds, rate)
        try:
            times = []
            for _ in range(5):
                before, start = processor_time(process), time.monotonic()
                body = urllib.request.urlopen(f"http://127.0.0.1:{port}{target(seconds)}").read()
                times.append((time.monotonic() - start, processor_time(process) - before))
            assert json.loads(body)["places"], body[:500]
            clock, processor = min(times)
            print(f"{name}, {seconds * rate} fixes: {clock:.2f} s, {processor:.2f} s of a processor, {len(body) >> 10} KiB", flush=True)
        finally:
            process.kill()
            process.wait()


measure("a day at 10 fixes a second", 86_400, 10)
measure("30 days at one", 30 * 86_400, 1)
