"""Latency and cost of `rxlocationd run`, side by side with `gpspipe -w` on the same gpsd.

A tcp:// source feeds gpsd with an NMEA drive. The latency of an epoch is the time from gpsd's write of the TPV report to that
client's socket (noted by a library preloaded into gpsd, see write_times.c) to the arrival of the client's line at the other end
of its standard output. Both times are CLOCK_MONOTONIC. The same loop reads both outputs, so its cost is in both numbers. A
hundred epochs a second reach in seconds the number that a receiver at ten a second reaches in minutes. They are sent in parts,
of which the best counts.

Then nothing is sent for 20 s, and the daemon's wake-ups are counted: its threads' voluntary context switches. --stale-after is
long, so that no lost fix is reported during that time.
"""
import json, os, selectors, subprocess, sys, time

from .measure import Gpsd, memory, percentile, processor, repeated

NEEDS = ["gpsd", "gpspipe", "cc"]
RATE, PIECES, SILENCE = 100, 6, 20


class Client:
    """A program that follows gpsd and writes a line for each report."""

    def __init__(self, name, command):
        self.name = name
        self.arrivals = {}
        self.partial = b""
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        os.set_blocking(self.process.stdout.fileno(), False)

    def take(self, now, data):
        *lines, self.partial = (self.partial + data).split(b"\n")
        for line in lines:
            record = json.loads(line)
            if record.get("class") == "TPV" or record.get("type") == "location":
                # Counts the first line of an epoch; further lines of the same epoch are not new.
                self.arrivals.setdefault(record.get("time"), now)

    def port(self, gpsd_port):
        """The local port of its connection to gpsd."""
        inodes = set()
        for name in os.listdir(f"/proc/{self.process.pid}/fd"):
            try:
                target = os.readlink(f"/proc/{self.process.pid}/fd/{name}")
            except OSError:
                continue
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
        for table in ("/proc/net/tcp", "/proc/net/tcp6"):
            for row in open(table).readlines()[1:]:
                fields = row.split()
                if fields[9] in inodes and int(fields[2].rsplit(":", 1)[1], 16) == gpsd_port:
                    return int(fields[1].rsplit(":", 1)[1], 16)
        return None

    def switches(self):
        """The number of voluntary context switches of each thread, one for each wake-up."""
        found = {}
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                for line in open(f"/proc/{self.process.pid}/task/{task}/status"):
                    if line.startswith("voluntary_ctxt_switches"):
                        found[task] = int(line.split()[1])
            except FileNotFoundError:
                pass
        return found


def compare(binary, folder, scale):
    # gpsd switches to another user.
    os.chmod(folder, 0o755)
    library = os.path.join(folder, "write_times.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "write_times.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    with open(os.path.join(folder, "times"), "w+b", buffering=0) as times:
        os.set_inheritable(times.fileno(), True)
        gpsd = Gpsd({"LD_PRELOAD": library, "WRITE_TIMES_FD": str(times.fileno())}, [times.fileno()])
        clients = []
        try:
            clients += [Client("gpspipe -w", ["gpspipe", "-w", f"127.0.0.1:{gpsd.port}"])]
            clients += [Client("rxlocationd", [binary, "run", "--gpsd", f"127.0.0.1:{gpsd.port}", "--stale-after", "3600"])]
            return follow(clients, gpsd, times, scale)
        finally:
            for client in clients:
                client.process.kill()
                client.process.wait()
            gpsd.end()


def follow(clients, gpsd, times, scale):
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.process.stdout, selectors.EVENT_READ, client)

    def serve(until):
        while (left := until - time.monotonic()) > 0:
            # Reads and stamps everything first, and parses afterwards, because parsing is slow.
            batches = []
            for key, _ in selector.select(left):
                data = os.read(key.fd, 1 << 16)
                batches.append((key.data, time.monotonic_ns(), data))
            for client, now, data in batches:
                if not data:
                    sys.exit(f"{client.name} ended with status {client.process.wait()}")
                client.take(now, data)

    deadline = time.monotonic() + 30
    ports = {None: None}
    while None in ports:
        if time.monotonic() > deadline:
            sys.exit(f"{ports[None].name} did not connect to gpsd")
        serve(time.monotonic() + 0.5)
        ports = {client.port(gpsd.port): client for client in clients}

    index = 0

    def feed(seconds):
        nonlocal index
        start = time.monotonic()
        for step in range(int(seconds * RATE)):
            gpsd.send(index, RATE)
            index += 1
            serve(start + (step + 1) / RATE)
        serve(time.monotonic() + 0.5)

    feed(2)
    pieces, cpu = [], []
    for _ in repeated(PIECES):
        for client in clients:
            client.arrivals.clear()
        before = [processor(client.process) for client in clients]
        feed(4 * scale)
        theirs, ours = [processor(client.process) - since for client, since in zip(clients, before)]
        cpu.append(ours / theirs)
        pieces.append([dict(client.arrivals) for client in clients])
    resident = memory(clients[1].process, "VmRSS")

    # The runtime ends unused worker threads after a few seconds. The idle activity is counted after
    # that.
    serve(time.monotonic() + 10)
    before = clients[1].switches()
    serve(time.monotonic() + SILENCE)
    wakeups = sum(count - before.get(task, 0) for task, count in clients[1].switches().items())

    times.seek(0)
    written = {client: {} for client in clients}
    for line in times.read().decode().splitlines():
        stamp, to, when = line.split()
        if int(to) in ports:
            written[ports[int(to)]].setdefault(when, int(stamp))
    medians, tails = [], []
    for piece in pieces:
        theirs, ours = [[(now - written[client][when]) / 1000 for when, now in arrivals.items() if when in written[client]]
                        for client, arrivals in zip(clients, piece)]
        if len(ours) < 4 * scale * RATE * 0.9:
            sys.exit(f"of {4 * scale * RATE:g} epochs rxlocationd wrote {len(ours)}")
        medians.append(percentile(ours, 0.5) / percentile(theirs, 0.5))
        tails.append(percentile(ours, 0.99) / percentile(theirs, 0.99))
    return {"live.median": min(medians), "live.p99": min(tails), "live.processor": min(cpu), "live.memory": resident,
            "live.wakeups": wakeups}
