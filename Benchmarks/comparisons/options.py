"""What an option costs: a thousand fences or polygons, a reader of NMEA, a journal, a record of gpsd.

A replay at full speed with the option stands beside one without. Live, daemons with and without it follow the same stand-in for
gpsd at once, which reports ten fixes a second. Memory is private memory (RssAnon and RssShmem), without the shared pages of
libraries. The journal is in the temporary folder: TMPDIR selects the disk.
"""
import json, math, os, signal, socket, subprocess, sys, threading

from .measure import DRIVE, StandIn, drive, memory, processor, run, turns, wait

NEEDS = []


def replay(program, folder, *options, megabytes=30):
    return run([program, "replay", drive(folder, megabytes), "--speed", "max", *options])


def grid(rows, columns):
    """The latitudes and longitudes of a grid over the drive, with their rows and columns."""
    fixes = [json.loads(line) for line in open(DRIVE.replace(".nmea", ".ndjson")) if line.startswith('{"type":"location"')]
    (south, north), (west, east) = [(min(fix[name] for fix in fixes), max(fix[name] for fix in fixes))
                                    for name in ("latitude", "longitude")]
    for row in range(rows):
        for column in range(columns):
            yield row, column, south + (north - south) * row / (rows - 1), west + (east - west) * column / (columns - 1)


def fences(binary, baseline, folder):
    """A grid of a thousand fences over the drive."""
    circles = [part for row, column, latitude, longitude in grid(40, 25)
               for part in ("--fence", f"{row}-{column}={latitude:.6f},{longitude:.6f},100")]
    for us, them in turns(lambda: replay(binary, folder, *circles),
                          lambda: replay(baseline, folder, *circles) if baseline else replay(binary, folder)):
        yield {"fences": (us.wall, them.wall)}


def polygons(binary, baseline, folder):
    """The same with a thousand polygons of a hundred corners."""
    def star(latitude, longitude):
        corners = [(math.radians(3.6 * corner), 0.0009 * (1 - corner % 2 / 3)) for corner in range(100)]
        ring = [[longitude + size * math.sin(angle) / math.cos(math.radians(latitude)), latitude + size * math.cos(angle)]
                for angle, size in corners]
        return {"type": "Polygon", "coordinates": [ring + ring[:1]]}

    path = os.path.join(folder, "fences.geojson")
    features = [{"type": "Feature", "properties": {"name": f"{row}-{column}"}, "geometry": star(latitude, longitude)}
                for row, column, latitude, longitude in grid(40, 25)]
    with open(path, "w") as file:
        json.dump({"type": "FeatureCollection", "features": features}, file)
    options = ["--fences", path]
    for us, them in turns(lambda: replay(binary, folder, *options),
                          lambda: replay(baseline, folder, *options) if baseline else replay(binary, folder)):
        yield {"polygons": (us.wall, them.wall)}


def nmea(binary, baseline, folder):
    """A replay whose fixes go to a reader of NMEA, beside one whose records go to standard output: µs for each fix."""
    path = os.path.join(folder, "nmea.sock")
    fixes = 704 * os.path.getsize(drive(folder, 30)) / os.path.getsize(DRIVE)

    def read():
        reader = socket.socket(socket.AF_UNIX)
        wait(lambda: reader.connect_ex(path) == 0, "the socket is there")
        while reader.recv(1 << 16):
            pass

    def serve(program):
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        cost = replay(program, folder, "--format", "none", "--nmea", f"unix:{path}")
        thread.join()
        return cost

    for us, them in turns(lambda: serve(binary), lambda: serve(baseline) if baseline else replay(binary, folder)):
        yield {"nmea": (us.cpu / fixes * 1e6, them.cpu / fixes * 1e6)}


def journal(binary, baseline, folder):
    path = os.path.join(folder, "journal.db")

    def kept(program):
        for suffix in ("", "-wal", "-shm", "-lock"):
            if os.path.exists(path + suffix):
                os.remove(path + suffix)
        return replay(program, folder, "--journal", path)

    for us, them in turns(lambda: kept(binary), lambda: kept(baseline) if baseline else replay(binary, folder)):
        yield {"journal": (us.wall, them.wall)}


def live(binary, baseline, folder):
    """Daemons with a journal, with a record, and without either."""
    stand_in, daemons = StandIn(10), {}

    def start(name, program, *options):
        daemons[name] = subprocess.Popen([program, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", *options],
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    try:
        for side, program in enumerate([binary, baseline] if baseline else [binary]):
            start(("journal", side), program, "--journal", os.path.join(folder, f"{side}.db"))
            start(("record", side), program, "--record", os.path.join(folder, f"{side}.record"))
        if not baseline:
            start("without", binary)
        wait(lambda: len(stand_in.clients) == len(daemons), "the daemons connect")
        stand_in.report(3)
        while True:
            before = {name: processor(daemon) for name, daemon in daemons.items()}
            stand_in.report(3)
            used = {name: processor(daemon) - before[name] for name, daemon in daemons.items()}
            held = {name: memory(daemon, "RssAnon", "RssShmem") for name, daemon in daemons.items()}
            pairs = {name: [(name, 0), (name, 1) if baseline else "without"] for name in ("journal", "record")}
            yield {f"{name}.live": tuple(used[side] for side in pair) for name, pair in pairs.items()} | {
                "journal.memory": tuple(held[side] for side in pairs["journal"])}
    finally:
        for daemon in daemons.values():
            daemon.kill()
            daemon.wait()
