#!/usr/bin/env python3
"""What a journal costs: `rxlocationd` with --journal beside the same without, in turns, in one run.

usage: Benchmarks/journal/run.py PATH-OF-RXLOCATIOND [--sentences 1000000] [--runs 3] [--seconds 60] [--folder DIR] [--check]

First a replay of a million sentences at full speed; the best time of each counts. Then both follow a stand-in for gpsd on
loopback that reports ten fixes a second; processor time is what the kernel counts in nanoseconds, less what was used
before the first fix. Memory is RssAnon and RssShmem at the end: pages of libraries that others share do not count.
The journal is in --folder, a temporary one by default: name one on the disk that is meant.

"SQLite alone" is what SQLite itself takes to commit one such row at a time, ten a second. It is more than a tenth of the
whole daemon without a journal, so "at most a tenth more" is out of reach for as long as each fix is a transaction.

With --check the status is 1 unless the replay takes at most twice the time, and live at most half as much processor time
and 4 MiB of memory more are used.
"""
import argparse, os, shutil, signal, sqlite3, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "Benchmarks"))
from standin import StandIn


def replay(binary, recording, arguments):
    """Wall and processor seconds of one run."""
    start = time.monotonic()
    process = subprocess.Popen([binary, "replay", recording, "--speed", "max", *arguments],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"replay {' '.join(arguments)}: exit {process.returncode}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime


def processor(process):
    """Nanoseconds that its threads ran."""
    total = 0
    for task in os.listdir(f"/proc/{process.pid}/task"):
        total += int(open(f"/proc/{process.pid}/task/{task}/schedstat").read().split()[0])
    return total


def sqlite_alone(path, seconds):
    """Seconds of processor time for a row that is committed."""
    columns = "abcdefghijklmnopqr"
    with sqlite3.connect(path, isolation_level=None) as database:
        database.executescript("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                               f"CREATE TABLE rows (sequence INTEGER PRIMARY KEY, {','.join(columns[1:])})")
        row = (1767268800000000000, 51.5, -0.125, 35.1, 82.0, 3.2, 5.1, 45.0, None, 5.1, None, 0.1, 3, 9, 12, "/dev/ttyUSB0", 0)
        used = 0
        for _ in range(seconds * 10):
            time.sleep(0.1)
            start = time.thread_time()
            database.execute(f"INSERT INTO rows VALUES (NULL{',?' * 17})", row)
            used += time.thread_time() - start
    return used / (seconds * 10)


def memory(process):
    """MiB of its own."""
    lines = (line.split() for line in open(f"/proc/{process.pid}/status"))
    return sum(int(line[1]) for line in lines if line[0] in ("RssAnon:", "RssShmem:")) / 1024


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("rxlocationd")
    options.add_argument("--sentences", type=int, default=1_000_000)
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--folder")
    options.add_argument("--check", action="store_true")
    options = options.parse_args()
    folder = tempfile.mkdtemp(prefix="journal-bench-", dir=options.folder)
    journal = os.path.join(folder, "journal.db")
    try:
        with open(os.path.join(ROOT, "Recordings/drive.nmea"), "rb") as f:
            once = f.read()
        copies = options.sentences // sum(line.startswith(b"$") for line in once.splitlines()) + 1
        recording = os.path.join(folder, "big.nmea")
        with open(recording, "wb") as f:
            for _ in range(copies):
                f.write(once)

        kinds = {"without": [], "with": ["--journal", journal]}
        walls = {kind: [] for kind in kinds}
        for _ in range(options.runs):
            for kind, arguments in kinds.items():
                walls[kind].append(replay(options.rxlocationd, recording, arguments))
                for suffix in ("", "-wal", "-shm", "-lock"):
                    if kind == "with" and os.path.exists(journal + suffix):
                        os.remove(journal + suffix)
        best = {kind: (min(w for w, _ in runs), min(c for _, c in runs)) for kind, runs in walls.items()}
        for kind, (wall, cpu) in best.items():
            print(f"replay {kind:8} {wall:6.2f} s, {cpu:6.2f} s of processor time")
        slower = best["with"][0] / best["without"][0]
        print(f"replay ratio     {slower:.2f}")

        stand_in = StandIn(10)
        live = {
            kind: subprocess.Popen([options.rxlocationd, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", *arguments],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for kind, arguments in kinds.items()}
        deadline = time.monotonic() + 10
        while len(stand_in.clients) < len(live):
            if time.monotonic() > deadline:
                sys.exit("the daemons do not connect")
            time.sleep(0.05)
        stand_in.report(5)
        before = {kind: processor(process) for kind, process in live.items()}
        stand_in.report(options.seconds)
        used = {kind: (processor(process) - before[kind]) / 1e9 for kind, process in live.items()}
        held = {kind: memory(process) for kind, process in live.items()}
        for process in live.values():
            process.send_signal(signal.SIGTERM)
            if process.wait() != 0:
                sys.exit(f"run: exit {process.returncode}")
        for kind in kinds:
            print(f"10 Hz  {kind:8} {used[kind] / options.seconds * 1e3:6.2f} ms of processor time a second, "
                  f"{held[kind]:.1f} MiB")
        alone = sqlite_alone(os.path.join(folder, "alone.db"), min(options.seconds, 20))
        print(f"10 Hz  SQLite alone {alone * 1e4:.2f} ms of processor time a second")
        more, bytes_more = used["with"] / used["without"], held["with"] - held["without"]
        print(f"10 Hz  ratio     {more:.2f}, {bytes_more:.1f} MiB more")
        if options.check and (slower > 2 or more > 1.5 or bytes_more > 4):
            sys.exit(1)
    finally:
        shutil.rmtree(folder)


main()
