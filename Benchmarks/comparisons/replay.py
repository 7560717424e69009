"""A replay at full speed to NDJSON and a region log, beside gpsdecode reading the same file; the best of several runs. The file
has about a million sentences, so that the start of either program hardly counts."""
import os

from .measure import best, drive, run

NEEDS = ["gpsdecode"]


def compare(binary, folder, scale):
    recording, log = drive(folder, int(80 * scale)), os.path.join(folder, "regions")

    def ours():
        if os.path.exists(log):
            os.remove(log)
        return run([binary, "replay", recording, "--speed", "max", "--region-log", log])

    us, gpsdecode = best(4, ours, lambda: run(["gpsdecode", "-j"], stdin=recording))
    return {"replay": gpsdecode.wall / us.wall, "replay.memory": us.peak}
