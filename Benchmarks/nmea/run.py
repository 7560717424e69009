#!/usr/bin/env python3
"""Compare NMEA decoding and the whole replay with gpsdecode and pynmea2, on one file, in one run.

usage: Benchmarks/nmea/run.py [--megabytes 60] [--runs 5] [--recording Recordings/drive.nmea]

Build first:
    swift build -c release --product rxlocationd
    swift build -c release --package-path Benchmarks/NMEABench
For the peers: apt-get install gpsd-clients; pip install pynmea2 (a virtual environment will do).
A command that is not there is left out, and said so.

The recording is repeated to the size asked for. Every command runs --runs times, in turns so that a disturbance
hits all of them, and its best time counts. Sentences are lines that begin with $. On a machine with other work the
rate per second of CPU time tells more than that of the clock. Memory is the peak resident set, which the system
counts from the fork on: it is never below this script's own 14 MiB.
"""
import argparse, os, shutil, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PYNMEA2 = """
import sys, pynmea2
n = 0
for line in open(sys.argv[1], encoding="ascii", errors="replace"):
    try:
        pynmea2.parse(line)
        n += 1
    except pynmea2.ParseError:
        pass
print(n)
"""


def measure(argv, stdin=None):
    """Wall seconds, CPU seconds and peak MiB of one run; its output goes to a file, as a user's would."""
    with tempfile.TemporaryFile() as out, open(stdin or os.devnull, "rb") as source:
        start = time.monotonic()
        process = subprocess.Popen(argv, stdin=source, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - start
        if process.returncode != 0:
            sys.exit(f"{argv[0]}: exit {process.returncode}")
        out.seek(0)
        return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out.read(200)


def main():
    options = argparse.ArgumentParser(usage=__doc__)
    options.add_argument("--megabytes", type=int, default=60)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--recording", default=os.path.join(ROOT, "Recordings/drive.nmea"))
    options = options.parse_args()

    with open(options.recording, "rb") as f:
        once = f.read()
    folder = tempfile.mkdtemp(prefix="nmea-bench-")
    path = os.path.join(folder, "big.nmea")
    copies = options.megabytes * 1_000_000 // len(once) + 1
    with open(path, "wb") as f:
        for _ in range(copies):
            f.write(once)
    sentences = copies * sum(line.startswith(b"$") for line in once.splitlines())
    print(f"{os.path.getsize(path) / 1e6:.0f} MB, {sentences} sentences; best of {options.runs}")

    bench = os.path.join(ROOT, "Benchmarks/NMEABench/.build/release/NMEABench")
    daemon = os.path.join(ROOT, ".build/release/rxlocationd")
    log = os.path.join(folder, "regions")
    commands = {
        "NMEADecoder, file in memory": ([bench, "decode-once", path], None),
        "NMEASource to the main actor": ([bench, "source", path], None),
        "rxlocationd replay, NDJSON and region log": (
            [daemon, "replay", path, "--speed", "max", "--region-log", log], None),
        "gpsdecode -j": (["gpsdecode", "-j"], path),
        "pynmea2": ([sys.executable, "-c", PYNMEA2, path], None),
    }
    results = {}
    for _ in range(options.runs):
        for name, (argv, stdin) in commands.items():
            if results.get(name, ()) is None:
                continue
            missing = not shutil.which(argv[0]) or (
                name == "pynmea2" and subprocess.run([sys.executable, "-c", "import pynmea2"], capture_output=True).returncode)
            if missing:
                print(f"{name}: not installed, left out")
                results[name] = None
                continue
            if os.path.exists(log):
                os.remove(log)
            results.setdefault(name, []).append(measure(argv, stdin))
    print(f"{'':42} {'sentences/s':>12} {'a CPU s':>12} {'wall s':>8} {'CPU s':>8} {'peak MiB':>9}")
    for name, runs in results.items():
        if runs:
            wall, cpu, memory, _ = min(runs)
            print(f"{name:42} {sentences / wall:12,.0f} {sentences / cpu:12,.0f} {wall:8.3f} {cpu:8.3f} {max(r[2] for r in runs):9.1f}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
