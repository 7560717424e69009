#!/usr/bin/env python3
"""The time of the map page for earlier periods from the journal: a day at ten fixes a second, and a month at one.

    Benchmarks/history.py RXLOCATIOND
"""
import json, sys, time

from comparisons.history import get, history, page
from comparisons.measure import processor


def measure(name, seconds, rate):
    with page(sys.argv[1], seconds, rate) as (process, port):
        times = []
        for _ in range(5):
            before, start = processor(process), time.monotonic()
            body = get(port, history(0, seconds))
            times.append((time.monotonic() - start, processor(process) - before))
        assert json.loads(body)["places"], body[:500]
        clock, used = min(times)
        print(f"{name}, {seconds * rate} fixes: {clock:.2f} s, {used:.2f} s of a processor, {len(body) >> 10} KiB", flush=True)


measure("a day at 10 fixes a second", 86_400, 10)
measure("30 days at one", 30 * 86_400, 1)
