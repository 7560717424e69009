"""A replay at full speed to NDJSON and a region log, beside gpsdecode reading a tenth of the same file. The longer file has about a
million sentences, so that the start of the program hardly counts."""
import os

from .measure import drive, run, turns

NEEDS = ["gpsdecode"]
# Megabytes.
LONG, SHORT = 80, 8


def replay(binary, baseline, folder):
    def ours(program):
        log = os.path.join(folder, "regions")
        if os.path.exists(log):
            os.remove(log)
        return run([program, "replay", drive(folder, LONG), "--speed", "max", "--region-log", log])

    def theirs():
        if baseline:
            return ours(baseline)
        cost, times = run(["gpsdecode", "-j"], stdin=drive(folder, SHORT)), LONG / SHORT
        return cost._replace(wall=cost.wall * times, cpu=cost.cpu * times)

    for us, them in turns(lambda: ours(binary), theirs):
        yield {"replay": (us.wall, them.wall), "replay.processor": (us.cpu, them.cpu), "replay.memory": (us.peak, them.peak)}
