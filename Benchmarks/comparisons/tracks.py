"""The cost of `rxlocationd track` on large recordings, beside gpsbabel reading the same file, in turns.

The recording repeats the shipped drive, each time a day later. gpsbabel only reads it and writes nothing; rxlocationd summarises
it. rxlocationd makes the GPX file from the repeated drive. Times are processor time, which hardly depends on other programs; the
best of each counts. A picture of the GPX file is compared with the summary of it, by the clock.
"""
import datetime, multiprocessing, os, re, subprocess

from .measure import DRIVE, best, sentence

NEEDS = ["gpsbabel"]
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


def make_recording(path, size):
    lines = [line.rstrip("\r\n") for line in open(DRIVE, encoding="ascii")]
    written = days = 0
    with open(path, "w", encoding="ascii", newline="") as file:
        while written < size:
            written += file.write("".join(shifted(lines, days)))
            days += 1


def compare(binary, folder, scale):
    size = int(20_000_000 * scale)
    nmea, gpx, svg = (os.path.join(folder, name) for name in ("days.nmea", "days.gpx", "days.svg"))
    # Runs in a process of its own, because the system counts a child's memory from the fork,
    # including that of its parent.
    maker = multiprocessing.Process(target=make_recording, args=(nmea, size))
    maker.start()
    maker.join()
    subprocess.run([binary, "track", nmea, "--format", "gpx", "--output", gpx, "--quiet"], check=True)
    while os.path.getsize(gpx) < size:
        inputs = [gpx] * min(10, -(-size // os.path.getsize(gpx)))
        subprocess.run([binary, "track", *inputs, "--format", "gpx", "--output", gpx, "--quiet"], check=True)

    figures, peaks = {}, []
    for kind, path in (("nmea", nmea), ("gpx", gpx)):
        ours, gpsbabel = best(3, [binary, "track", path, "--quiet"], ["gpsbabel", "-t", "-i", kind, "-f", path])
        figures[f"track.{kind}"] = gpsbabel.cpu / ours.cpu
        peaks.append(ours.peak)
    figures["track.memory"] = max(peaks)
    text, picture = best(3, [binary, "track", gpx, "--quiet"],
                         [binary, "track", gpx, "--format", "svg", "--output", svg, "--quiet"])
    figures["track.picture"] = picture.wall / text.wall
    return figures
