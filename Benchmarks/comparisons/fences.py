"""A replay at full speed with a thousand fences, a grid over the drive, beside the same replay without fences; the best of several runs."""
import json

from .measure import DRIVE, best, drive

NEEDS = []


def compare(binary, folder, scale):
    recording = drive(folder, int(45 * scale))
    fixes = [json.loads(line) for line in open(DRIVE.replace(".nmea", ".ndjson")) if line.startswith('{"type":"location"')]
    (south, north), (west, east) = [(min(fix[name] for fix in fixes), max(fix[name] for fix in fixes))
                                    for name in ("latitude", "longitude")]
    fences = []
    for row in range(40):
        for column in range(25):
            latitude, longitude = south + (north - south) * row / 39, west + (east - west) * column / 24
            fences += ["--fence", f"{row}-{column}={latitude:.6f},{longitude:.6f},100"]
    plain = [binary, "replay", recording, "--speed", "max"]
    without, fenced = best(5, plain, [*plain, *fences])
    return {"fences": fenced.wall / without.wall}
