"""The cost of `rxlocationd track` on large recordings, beside gpsbabel reading the same file.

The recording repeats the shipped drive, each time a day later. gpsbabel only reads it and writes nothing; rxlocationd summarises
it. rxlocationd makes the GPX file from the repeated drive. Times are processor time. A picture of the GPX file is compared with
the summary of it, by the clock.
"""
import datetime, functools, os, re, subprocess

from .measure import DRIVE, run, sentence, turns

NEEDS = ["gpsbabel"]
SIZE = 10_000_000
DATED = re.compile(r"^\$(G.RMC|G.ZDA),")


def shifted(lines, days):
    """The drive, moved by that many days."""
    for line in lines:
        if not DATED.match(line):
            yield line + "\r\n"
            continue
        fields = line.split("*")[0][1:].split(",")
        if fields[0].endswith("RMC"):
            day = datetime.datetime.strptime(fields[9], "%d%m%y").date() + datetime.timedelta(days=days)
            fields[9] = day.strftime("%d%m%y")
        elif len(fields) > 4 and fields[4]:
            day = datetime.date(int(fields[4]), int(fields[3]), int(fields[2])) + datetime.timedelta(days=days)
            fields[2:5] = [f"{day.day:02}", f"{day.month:02}", f"{day.year}"]
        yield sentence(",".join(fields))


def make_recording(path, drives=None):
    """So many drives, or as many as SIZE holds."""
    lines = [line.rstrip("\r\n") for line in open(DRIVE, encoding="ascii")]
    written = days = 0
    with open(path, "w", encoding="ascii", newline="") as file:
        while days < drives if drives else written < SIZE:
            written += file.write("".join(shifted(lines, days)))
            days += 1


def track(kind, binary, baseline, folder):
    """Reads the recording, as NMEA or GPX."""
    path = recordings(binary, folder)[kind]

    def ours(program):
        return run([program, "track", path, "--quiet"])

    for us, them in turns(lambda: ours(binary),
                          lambda: ours(baseline) if baseline else run(["gpsbabel", "-t", "-i", kind, "-f", path])):
        yield {f"track.{kind}": (us.cpu, them.cpu), "track.memory": (us.peak, them.peak)}


def picture(binary, baseline, folder):
    path = recordings(binary, folder)["gpx"]

    def drawn(program):
        return run([program, "track", path, "--format", "svg", "--output", os.path.join(folder, "days.svg"), "--quiet"])

    for us, them in turns(lambda: drawn(binary),
                          lambda: drawn(baseline) if baseline else run([binary, "track", path, "--quiet"])):
        yield {"track.picture": (us.wall, them.wall)}


def recordings(binary, folder):
    nmea, gpx = os.path.join(folder, "days.nmea"), os.path.join(folder, "days.gpx")
    make_recording(nmea)
    subprocess.run([binary, "track", nmea, "--format", "gpx", "--output", gpx, "--quiet"], check=True)
    while os.path.getsize(gpx) < SIZE:
        inputs = [gpx] * min(10, -(-SIZE // os.path.getsize(gpx)))
        subprocess.run([binary, "track", *inputs, "--format", "gpx", "--output", gpx, "--quiet"], check=True)
    return {"nmea": nmea, "gpx": gpx}


nmea, gpx = functools.partial(track, "nmea"), functools.partial(track, "gpx")
