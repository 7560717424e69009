#!/usr/bin/env python3
"""What `rxlocationd track` costs on large recordings, beside gpsbabel reading the same file, in turns, in one run.

usage: Benchmarks/tracks/run.py PATH-OF-RXLOCATIOND [--megabytes 1000] [--runs 3] [--folder DIR] [--check]

The recording is the shipped drive, again and again, each a day later than the one before. gpsbabel only reads it and
writes nothing; rxlocationd summarises it. The GPX file is what rxlocationd makes of the drive as often as it takes for the
same size. The picture is made of a track with a million points and more. Times are processor time, so that a busy machine
says the same; the best of each counts. Memory is the most that was resident.

With --check the status is 1 unless NMEA is read at 20 times gpsbabel's speed and GPX at 3 times, both in less than 30 MiB,
and the picture takes less than a second of the wall clock more than the summary of the same file, and less than 1 MB.
"""
import argparse, datetime, os, re, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATED = re.compile(rb"^\$(G.RMC|G.ZDA),")


def sentence(body):
    checksum = 0
    for byte in body:
        checksum ^= byte
    return b"$%s*%02X" % (body, checksum)


def shifted(lines, days):
    """The drive that many days later."""
    date = datetime.date(2026, 5, 6) + datetime.timedelta(days=days)
    for line in lines:
        if not DATED.match(line):
            yield line
            continue
        fields = line.split(b"*")[0][1:].split(b",")
        if fields[0].endswith(b"RMC"):
            day = datetime.datetime.strptime(fields[9].decode(), "%d%m%y").date() + datetime.timedelta(days=days)
            fields[9] = day.strftime("%d%m%y").encode()
        elif len(fields) > 4 and fields[4]:
            day = datetime.date(int(fields[4]), int(fields[3]), int(fields[2])) + datetime.timedelta(days=days)
            fields[2:5] = [b"%02d" % day.day, b"%02d" % day.month, b"%d" % day.year]
        yield sentence(b",".join(fields))


def make_recording(path, size):
    lines = [line.rstrip(b"\r\n") for line in open(os.path.join(ROOT, "Recordings/drive.nmea"), "rb")]
    written = days = 0
    with open(path, "wb") as file:
        while written < size:
            written += file.write(b"\r\n".join(shifted(lines, days)) + b"\r\n")
            days += 1
    return days


def run(command):
    """Processor seconds, wall seconds, MiB at most."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {process.returncode}: {errors.decode()}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss / 1024


def best(runs, command):
    results = [run(command) for _ in range(runs)]
    return tuple(min(result[index] for result in results) for index in range(3))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--megabytes", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    size = arguments.megabytes * 1_000_000
    fine = True

    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        nmea, gpx, svg = (os.path.join(folder, name) for name in ("drive.nmea", "drive.gpx", "drive.svg"))
        make_recording(nmea, size)
        subprocess.run([arguments.binary, "track", nmea, "--format", "gpx", "--output", gpx, "--quiet"], check=True)
        while os.path.getsize(gpx) < size:
            inputs = [gpx] * min(10, -(-size // os.path.getsize(gpx)))
            subprocess.run([arguments.binary, "track", *inputs, "--format", "gpx", "--output", gpx, "--quiet"], check=True)

        for kind, path, wanted in (("nmea", nmea, 20), ("gpx", gpx, 3)):
            ours = theirs = None
            for _ in range(arguments.runs):
                one, other = best(1, [arguments.binary, "track", path, "--quiet"]), best(1, ["gpsbabel", "-t", "-i", kind, "-f", path])
                ours = one if ours is None else tuple(map(min, ours, one))
                theirs = other if theirs is None else tuple(map(min, theirs, other))
            ratio = theirs[0] / ours[0]
            print(f"{kind:5}{os.path.getsize(path) / 1e6:7.0f} MB   rxlocationd {ours[0]:6.2f} s {ours[2]:6.1f} MiB   "
                  f"gpsbabel {theirs[0]:7.2f} s {theirs[2]:7.0f} MiB   {ratio:5.1f} times as fast")
            fine = fine and ratio >= wanted and ours[2] < 30

        # A drive has 1800 fixes or so; the file may hold fewer than a million when it is small.
        text = best(arguments.runs, [arguments.binary, "track", gpx, "--quiet"])
        picture = best(arguments.runs, [arguments.binary, "track", gpx, "--format", "svg", "--output", svg, "--quiet"])
        points = sum(chunk.count(b"<trkpt") for chunk in iter(lambda f=open(gpx, "rb"): f.readline(1 << 20), b""))
        print(f"svg  {points} points: {picture[1] - text[1]:.2f} s more than the text, {os.path.getsize(svg) / 1000:.0f} kB, "
              f"{picture[2]:.1f} MiB")
        fine = fine and picture[1] - text[1] < 1 and os.path.getsize(svg) < 1_000_000
    if arguments.check and not fine:
        sys.exit(1)


if __name__ == "__main__":
    main()
