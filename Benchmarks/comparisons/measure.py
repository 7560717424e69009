"""Helpers of the comparisons: the cost of a command, recordings to read, receivers to follow."""
import collections, json, os, socket, subprocess, sys, tempfile, threading, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DRIVE = os.path.join(ROOT, "Recordings/drive.nmea")

# Seconds of the clock, seconds of processor time, and the peak of resident MiB. The system counts
# memory from the fork, so it is never below this script's own 14 MiB.
Cost = collections.namedtuple("Cost", "wall cpu peak")


def run(command, stdin=os.devnull):
    """Runs a command to its end; its output goes to a file, as a user's would."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors, open(stdin, "rb") as source:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=source, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            sys.exit(f"{' '.join(command[:6])}: exit {process.returncode}: {errors.read(2000).decode(errors='replace')}")
        return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def turns(ours, theirs):
    """Runs both functions once in each turn, in every second turn the other way round: pairs of what they return, forever."""
    while True:
        first, second = ours(), theirs()
        yield first, second
        second, first = theirs(), ours()
        yield first, second


def processor(process):
    """The processor time of all its threads so far in seconds, including threads that have ended."""
    # The kernel's number for the clock of another process (clock_getcpuclockid in the C library).
    return time.clock_gettime_ns(~process.pid << 3 | 2) / 1e9


def memory(process, *kinds):
    """The MiB of these lines of the process's status: VmRSS, VmHWM, RssAnon, RssShmem."""
    lines = (line.split() for line in open(f"/proc/{process.pid}/status"))
    return sum(int(line[1]) for line in lines if line[0].rstrip(":") in kinds) / 1024


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def sentence(body):
    """An NMEA sentence with its checksum."""
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def drive(folder, megabytes):
    """The shipped drive, repeated to a file of that size."""
    path = os.path.join(folder, f"drive-{megabytes}.nmea")
    with open(DRIVE, "rb") as file:
        once = file.read()
    if not os.path.exists(path):
        with open(path, "wb") as file:
            while file.tell() < megabytes * 1_000_000:
                file.write(once)
    return path


def stripped(program, folder):
    """The program without symbols, as it is installed."""
    path = os.path.join(folder, "stripped")
    subprocess.run(["strip", "-o", path, program], check=True)
    return path


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def wait(condition, what, seconds=30, every=0.02):
    """Waits until a condition holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"{what}: not within {seconds} s")
        time.sleep(every)


class StandIn:
    """Speaks gpsd's protocol to any number of clients; `rate` is the number of reports a second, `clock` that in a second of the
    receiver, and `latitude` the place of a report."""

    def __init__(self, rate, clock=None, latitude=lambda index: 51 + index * 1e-6):
        self.rate, self.clock, self.latitude = rate, clock or rate, latitude
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.clients = []
        self.index = 0
        self.sent = {}
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
        """Sends reports for that time; `sent` has the moments at which each report was sent, in the order of the clients."""
        start = time.monotonic()
        for step in range(int(seconds * self.rate)):
            time.sleep(max(0, start + step / self.rate - time.monotonic()))
            index, self.index = self.index, self.index + 1
            second, part = divmod(index, self.clock)
            stamp = (f"2026-01-01T{12 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}."
                     f"{part * 1000 // self.clock:03d}Z")
            fix = {
                "class": "TPV", "device": "/dev/ttyUSB0", "mode": 3, "time": stamp,
                "lat": self.latitude(index), "lon": -0.125, "altMSL": 35.1, "altHAE": 82.0, "eph": 3.2, "epv": 5.1,
                "track": 45.0, "speed": 5.1, "climb": 0.1,
            }
            self.sent[stamp] = []
            for client in self.clients:
                self.sent[stamp].append(time.monotonic())
                self.say(client, fix)


class Gpsd:
    """A real gpsd on loopback with a receiver that moves north."""

    def __init__(self, environment=None, inherited=()):
        receiver = socket.create_server(("127.0.0.1", 0))
        self.port = free_port()
        self.process = subprocess.Popen(
            ["gpsd", "-N", "-n", "-b", "-S", str(self.port), f"tcp://127.0.0.1:{receiver.getsockname()[1]}"],
            env={"PATH": os.environ["PATH"], "GPSD_SHM_KEY": hex(0x47000000 + self.port)} | (environment or {}),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=inherited)
        receiver.settimeout(30)
        self.feed, _ = receiver.accept()
        receiver.close()
        self.feed.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wait(self.answers, "gpsd")

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def send(self, index, rate):
        """The sentences of the receiver at the epoch with that number."""
        seconds, part = divmod(index, rate)
        clock = f"{12 + seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}.{part * 1000 // rate:03d}"
        minutes = f"{10 + index % 400000 / 10000:07.4f}"
        self.feed.sendall("".join(map(sentence, [
            f"GPRMC,{clock},A,51{minutes},N,00007.5000,W,10.0,45.0,010225,,,A",
            f"GPGGA,{clock},51{minutes},N,00007.5000,W,1,08,0.9,35.0,M,47.0,M,,",
            "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.6,0.9,1.3",
            "GPGSV,2,1,08,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45",
            "GPGSV,2,2,08,05,40,083,46,06,17,308,41,07,07,344,39,08,22,228,45",
        ])).encode())

    def end(self):
        self.process.terminate()
        self.process.wait()
