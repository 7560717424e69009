#!/usr/bin/env python3
"""What a journal costs: `rxlocationd` with --journal beside the same without, in turns, in one run.

usage: Benchmarks/journal/run.py PATH-OF-RXLOCATIOND [--sentences 1000000] [--runs 3] [--seconds 60] [--folder DIR] [--check]

First a replay of a million sentences at full speed; the best time of each counts. Then both follow a stand-in for gpsd on
loopback that reports ten fixes a second; processor time is what the kernel counts in nanoseconds, less what was used
before the first fix. Memory is RssAnon and RssShmem at the end: pages of libraries that others share do not count.
The journal is in --folder, a temporary one by default: name one on the disk that is meant.

With --check the status is 1 unless the replay takes at most twice the time, and live at most a tenth more processor time
and 4 MiB more memory are used.
"""
import argparse, json, os, shutil, signal, socket, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


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


class StandIn:
    """Speaks gpsd's protocol to any number of clients; `rate` reports a second once started."""

    def __init__(self, rate):
        self.rate = rate
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.clients = []
        self.index = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            self.say(client, {"class": "VERSION", "release": "3.25", "rev": "3.25", "proto_major": 3, "proto_minor": 15})
            client.recv(4096)
            device = {"path": "/dev/ttyUSB0", "activated": "2026-01-01T00:00:00.000Z", "driver": "NMEA0183"}
            self.say(client, {"class": "DEVICES", "devices": [{"class": "DEVICE", **device}]})
            self.say(client, {"class": "WATCH", "enable": True, "json": True})
            self.clients.append(client)

    def say(self, client, message):
        client.sendall(json.dumps(message).encode() + b"\r\n")

    def report(self, seconds):
        start = time.monotonic()
        for step in range(int(seconds * self.rate)):
            time.sleep(max(0, start + step / self.rate - time.monotonic()))
            index, self.index = self.index, self.index + 1
            second, part = divmod(index, self.rate)
            fix = {
                "class": "TPV", "device": "/dev/ttyUSB0", "mode": 3,
                "time": f"2026-01-01T{12 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}."
                        f"{part * 1000 // self.rate:03d}Z",
                "lat": 51 + index * 1e-6, "lon": -0.125, "altMSL": 35.1, "altHAE": 82.0, "eph": 3.2, "epv": 5.1,
                "track": 45.0, "speed": 5.1, "climb": 0.1,
            }
            for client in self.clients:
                self.say(client, fix)


def processor(process):
    """Nanoseconds that its threads ran."""
    total = 0
    for task in os.listdir(f"/proc/{process.pid}/task"):
        total += int(open(f"/proc/{process.pid}/task/{task}/schedstat").read().split()[0])
    return total


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
        more, bytes_more = used["with"] / used["without"], held["with"] - held["without"]
        print(f"10 Hz  ratio     {more:.2f}, {bytes_more:.1f} MiB more")
        if options.check and (slower > 2 or more > 1.1 or bytes_more > 4):
            sys.exit(1)
    finally:
        shutil.rmtree(folder)


main()
