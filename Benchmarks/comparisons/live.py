"""Latency and cost of `rxlocationd run`, side by side with `gpspipe -w` on the same gpsd.

A tcp:// source feeds gpsd with an NMEA drive. The latency of an epoch is the time from gpsd's write of the TPV report to that
client's socket (noted by a library preloaded into gpsd, see write_times.c) to the arrival of the client's line at the other end
of its standard output. Both times are CLOCK_MONOTONIC. The same loop reads both outputs, so its cost is in both numbers. A
hundred epochs a second reach in seconds the number that a receiver at ten a second reaches in minutes.
"""
import itertools, json, os, selectors, subprocess, sys, time

from .measure import Gpsd, memory, percentile, processor

NEEDS = ["gpsd", "gpspipe", "cc"]
RATE, SECONDS = 100, 2


class Client:
    """A program that follows gpsd and writes a line for each report."""

    def __init__(self, *command):
        self.name = command[0]
        self.arrivals, self.written = {}, {}
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

    def latencies(self):
        """The microseconds of each epoch since the last call."""
        found = [(now - self.written[when]) / 1000 for when, now in self.arrivals.items() if when in self.written]
        if len(found) < RATE * SECONDS * 0.9:
            sys.exit(f"of {RATE * SECONDS} epochs {self.name} wrote {len(found)}")
        return found


def live(binary, baseline, folder):
    # gpsd switches to another user.
    os.chmod(folder, 0o755)
    library = os.path.join(folder, "write_times.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "write_times.c")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    with open(os.path.join(folder, "times"), "w+b", buffering=0) as times:
        os.set_inheritable(times.fileno(), True)
        gpsd = Gpsd({"LD_PRELOAD": library, "WRITE_TIMES_FD": str(times.fileno())}, [times.fileno()])
        address = f"127.0.0.1:{gpsd.port}"
        run = ["run", "--gpsd", address, "--stale-after", "3600"]
        commands = [[binary, *run], [baseline, *run] if baseline else ["gpspipe", "-w", address]]
        epochs = itertools.count()
        try:
            while True:
                # gpsd serves its clients in the order of their arrival, and the second waits: each comes first once.
                first = follow(commands, gpsd, open(times.name), epochs)
                second = follow(commands[::-1], gpsd, open(times.name), epochs)[::-1]
                pairs = [[sum(values) / 2 for values in zip(*both)] for both in zip(first, second)]
                names = ["live.median", "live.p99", "live.processor", "live.memory"]
                yield {name: pair for name, *pair in zip(names, *pairs)}
        finally:
            gpsd.end()


def follow(commands, gpsd, times, epochs):
    """The figures of each command: median and 99th percentile of the latency, processor time, memory."""
    clients = []
    try:
        for command in commands:
            clients.append(Client(*command))
            # It has connected before the next one starts.
            serve_until(clients, lambda: clients[-1].port(gpsd.port))
        ports = {client.port(gpsd.port): client for client in clients}
        # The first epochs include what happens once.
        for _ in range(2):
            for client in clients:
                client.arrivals.clear()
            before = [processor(client.process) for client in clients]
            start = time.monotonic()
            for step in range(SECONDS * RATE):
                gpsd.send(next(epochs), RATE)
                serve(clients, start + (step + 1) / RATE)
            serve(clients, time.monotonic() + 0.3)
            spent = [processor(client.process) - since for client, since in zip(clients, before)]
        for line in times:
            stamp, to, when = line.split()
            if int(to) in ports:
                ports[int(to)].written.setdefault(when, int(stamp))
        found = [client.latencies() for client in clients]
        return [(percentile(latencies, 0.5), percentile(latencies, 0.99), used, memory(client.process, "VmRSS"))
                for client, latencies, used in zip(clients, found, spent)]
    finally:
        for client in clients:
            client.process.kill()
            client.process.wait()


def serve_until(clients, condition):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"{clients[-1].name} did not connect to gpsd")
        serve(clients, time.monotonic() + 0.1)


def serve(clients, until):
    """Takes the clients' lines until that time."""
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.process.stdout, selectors.EVENT_READ, client)
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
