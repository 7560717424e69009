#!/usr/bin/env python3
"""Latency and cost of `rxlocationd run`, side by side with `gpspipe -w` on the same gpsd.

usage: compare_with_gpspipe.py PATH-OF-RXLOCATIOND [--rate 10] [--seconds 600] [--idle 20] [--check]

Starts a gpsd of its own on loopback, fed with an NMEA drive over a tcp:// source, and both clients on it. For every
epoch the latency is from gpsd's write of the TPV report into that client's socket (noted by a library preloaded into
gpsd, see write_times.c) to the arrival of the client's line on the other end of its standard output. Both ends are
CLOCK_MONOTONIC; the same loop reads both outputs, so what it costs is in both numbers.

Then nothing is fed for --idle seconds, and the wake-ups of each client are counted: its threads' voluntary context
switches, in all and thread by thread. --stale-after is long, so that no lost fix is reported meanwhile.

On a machine that is busy with other things the tail is theirs: run it under `chrt -f 10`, which puts gpsd and both
clients before them. --rate 100 --seconds 60 has as many epochs as ten minutes at ten a second.

With --check the exit status is 1 unless p99 is at most 1.5 times gpspipe's, the resident memory at most 20 MiB and
there was no wake-up. Needs gpsd, gpspipe and a C compiler.
"""
import argparse, json, os, selectors, shutil, signal, socket, subprocess, sys, tempfile, time


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def epoch(index, rate):
    seconds, part = divmod(index, rate)
    clock = f"{12 + seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}.{part * 1000 // rate:03d}"
    minutes = f"{10 + index % 400000 / 10000:07.4f}"
    return "".join(map(sentence, [
        f"GPRMC,{clock},A,51{minutes},N,00007.5000,W,10.0,45.0,010225,,,A",
        f"GPGGA,{clock},51{minutes},N,00007.5000,W,1,08,0.9,35.0,M,47.0,M,,",
        "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.6,0.9,1.3",
        "GPGSV,2,1,08,01,40,083,46,02,17,308,41,03,07,344,39,04,22,228,45",
        "GPGSV,2,2,08,05,40,083,46,06,17,308,41,07,07,344,39,08,22,228,45",
    ])).encode()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


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
                # The first line for an epoch: what follows for the same one is not new.
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

    def cpu(self):
        """Seconds of processor time, ended threads included; the kernel counts in hundredths."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def switches(self):
        """How often each thread has gone to sleep by itself, which it does once for each time it wakes."""
        found = {}
        for task in os.listdir(f"/proc/{self.process.pid}/task"):
            try:
                for line in open(f"/proc/{self.process.pid}/task/{task}/status"):
                    if line.startswith("voluntary_ctxt_switches"):
                        found[task] = int(line.split()[1])
            except FileNotFoundError:
                pass
        return found

    def wakeups(self, since):
        """Wake-ups of each thread since `switches` gave `since`."""
        return [count - since.get(task, 0) for task, count in self.switches().items()]

    def memory(self):
        values = {}
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(("VmRSS", "VmHWM", "RssAnon")):
                values[line.split(":")[0]] = int(line.split()[1]) / 1024
        return values


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rxlocationd")
    parser.add_argument("--rate", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--idle", type=float, default=20)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    for tool in ("gpspipe", "cc"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is needed")
    gpsd_path = shutil.which("gpsd") or shutil.which("gpsd", path="/usr/sbin:/usr/local/sbin")
    if not gpsd_path:
        sys.exit("gpsd is needed")

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        library = os.path.join(folder, "write_times.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "write_times.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        status = measure(arguments, gpsd_path, library, os.path.join(folder, "times"))
    sys.exit(status)


def measure(arguments, gpsd_path, library, times_path):
    listener = socket.create_server(("127.0.0.1", 0))
    port = free_port()
    times = open(times_path, "w+b", buffering=0)
    os.set_inheritable(times.fileno(), True)
    gpsd = subprocess.Popen(
        [gpsd_path, "-N", "-n", "-b", "-S", str(port), f"tcp://127.0.0.1:{listener.getsockname()[1]}"],
        env={"LD_PRELOAD": library, "WRITE_TIMES_FD": str(times.fileno()), "GPSD_SHM_KEY": hex(0x47000000 + port)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[times.fileno()])
    clients = []
    try:
        feed, _ = listener.accept()
        feed.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.01)
        clients = [
            Client("gpspipe -w", ["gpspipe", "-w", f"127.0.0.1:{port}"]),
            Client("rxlocationd", [arguments.rxlocationd, "run", "--gpsd", f"127.0.0.1:{port}", "--stale-after", "3600"]),
        ]
        return compare(arguments, clients, feed, port, times)
    finally:
        for process in [client.process for client in clients] + [gpsd]:
            process.kill()
            process.wait()


def compare(arguments, clients, feed, port, times):
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.process.stdout, selectors.EVENT_READ, client)

    def serve(until):
        while (left := until - time.monotonic()) > 0:
            # All reads and stamps first, the slow parsing after them.
            batches = []
            for key, _ in selector.select(left):
                data = os.read(key.fd, 1 << 16)
                batches.append((key.data, time.monotonic_ns(), data))
            for client, now, data in batches:
                if not data:
                    sys.exit(f"{client.name} ended with status {client.process.wait()}")
                client.take(now, data)

    index = 0
    deadline = time.monotonic() + 30
    ports = {None: None}
    while None in ports:
        if time.monotonic() > deadline:
            sys.exit(f"{ports[None].name} did not connect to gpsd")
        serve(time.monotonic() + 0.5)
        ports = {client.port(port): client for client in clients}
    start = time.monotonic()
    warm = 2 * arguments.rate
    before = {}
    while index < warm + arguments.seconds * arguments.rate:
        feed.sendall(epoch(index, arguments.rate))
        index += 1
        if index == warm:
            before = {client: (client.cpu(), client.switches()) for client in clients}
            for client in clients:
                client.arrivals.clear()
        serve(start + index / arguments.rate)
    serve(time.monotonic() + 0.5)
    elapsed = arguments.seconds
    after = {client: (client.cpu() - before[client][0], sum(client.wakeups(before[client][1])), client.memory())
             for client in clients}

    # The runtime ends the worker threads that it does not need after a few seconds; then count what happens while
    # nothing does.
    serve(time.monotonic() + 10)
    idle_before = {client: client.switches() for client in clients}
    serve(time.monotonic() + arguments.idle)
    idle = {client: client.wakeups(idle_before[client]) for client in clients}

    times.seek(0)
    written = {client: {} for client in clients}
    for line in times.read().decode().splitlines():
        stamp, to, when = line.split()
        if int(to) in ports:
            written[ports[int(to)]].setdefault(when, int(stamp))

    print(f"{arguments.rate} epochs a second for {elapsed:g} s, then {arguments.idle:g} s of nothing; "
          f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    results = []
    for client in clients:
        latencies = [(client.arrivals[when] - stamp) / 1000 for when, stamp in written[client].items()
                     if when in client.arrivals]
        missing = sum(1 for when in written[client] if when not in client.arrivals) - warm
        cpu, wakeups, memory = after[client]
        p50, p99 = percentile(latencies, 0.5), percentile(latencies, 0.99)
        results.append((p99, memory["VmRSS"], sum(idle[client])))
        print(f"{client.name:12} epochs {len(latencies)}, latency median {p50:.0f} us, p99 {p99:.0f} us, "
              f"max {max(latencies):.0f} us; CPU {cpu:.2f} s; "
              f"wake-ups {wakeups / elapsed:.1f} a second; "
              f"resident {memory['VmRSS']:.1f} MiB (peak {memory['VmHWM']:.1f}, anonymous {memory['RssAnon']:.1f}); "
              f"idle: {sum(idle[client])} wake-ups, by thread {idle[client]}"
              + (f"; {missing} epochs without a line" if missing > 0 else ""))
    (theirs, _, _), (ours, resident, idle_wakeups) = results
    print(f"p99 is {ours / theirs:.2f} times gpspipe's")
    passed = ours <= 1.5 * theirs and resident <= 20 and idle_wakeups == 0
    return 0 if passed or not arguments.check else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
