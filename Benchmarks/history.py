#!/usr/bin/env python3
"""The time of the map page for earlier periods from the journal: a day at ten fixes a second, and a month at one. The receiver
repeatedly drives for an hour and a half and rests for half an hour.

    Benchmarks/history.py RXLOCATIOND
"""
import json, sqlite3, subprocess, sys, tempfile, time, urllib.request

from comparisons.measure import free_port, wait

START = 1_750_000_000
COLUMNS = ('time, latitude, longitude, altitude, "ellipsoidalAltitude", "horizontalAccuracy", "verticalAccuracy", course, speed, '
           'mode, satellites, source, simulated, climb, "satellitesSeen", hdop, vdop, pdop, "geoidSeparation"')


def fill(path, seconds, rate):
    # A small circle at 15 m/s; at rest the speed is 0.
    moving = f"((i / {rate}) % 7200 < 5400)"
    driven = f"((i / {rate}) / 7200 * 5400 + min((i / {rate}) % 7200, 5400) + {moving} * (i % {rate}) * 1.0 / {rate})"
    with sqlite3.connect(path) as database:
        database.execute(
            f"""INSERT INTO locations (sequence, {COLUMNS}) WITH RECURSIVE n(i) AS
                (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {seconds * rate - 1})
                SELECT i + 1, {START} * 1000000000 + i * (1000000000 / {rate}), 48 + 0.1 * sin({driven} / 741.3),
                11 + 0.15 * cos({driven} / 741.3), 520.5, 567.5, 4, 8, 90.5, 15.0 * {moving}, 3, 12, '/dev/ttyACM0', 0, 0.1, 20,
                0.8, 1.2, 1.5, 47 FROM n""")


def processor_time(process):
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def measure(name, seconds, rate):
    with tempfile.TemporaryDirectory() as folder:
        path, port = f"{folder}/journal.db", free_port()
        subprocess.run([sys.argv[1], "replay", "-", "--format", "none", "--journal", path], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        fill(path, seconds, rate)
        process = subprocess.Popen(
            [sys.argv[1], "run", "--gpsd", f"127.0.0.1:{free_port()}", "--format", "none", "--journal", path, "--journal-limit",
             "8G", "--map", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
        try:
            def is_there():
                try:
                    return urllib.request.urlopen(f"http://127.0.0.1:{port}/state.json").status == 200
                except OSError:
                    return False
            wait(is_there, "the page is there", 30)
            times = []
            for _ in range(5):
                before, start = processor_time(process), time.monotonic()
                since, until = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) for moment in (START, START + seconds))
                body = urllib.request.urlopen(f"http://127.0.0.1:{port}/history.json?since={since}&until={until}").read()
                times.append((time.monotonic() - start, processor_time(process) - before))
            assert json.loads(body)["places"], body[:500]
            clock, processor = min(times)
            print(f"{name}, {seconds * rate} fixes: {clock:.2f} s, {processor:.2f} s of a processor, {len(body) >> 10} KiB", flush=True)
        finally:
            process.kill()
            process.wait()


measure("a day at 10 fixes a second", 86_400, 10)
measure("30 days at one", 30 * 86_400, 1)
