"""The rate of messages from many devices through a broker into the journal of `collect`, compared with mosquitto_sub -q 1
writing the same to a file, and into a database, compared with mosquitto_sub and psql's COPY; the rate with three fences compared
with none; the collector's processor time, and its memory with many devices.

The broker is a mosquitto on a loopback port with at most a thousand messages in flight. This script sends the messages over one
connection. All subscribers are there at once, each with topics of its own, and one of them at a time gets messages.
"""
import contextlib, itertools, os, socket, sqlite3, struct, subprocess, threading, time

from .database import PROGRAMS, PostgreSQL
from .measure import free_port, memory, processor, wait

NEEDS = ["mosquitto", "mosquitto_sub"]
# In one turn.
MESSAGES = 20_000


def length(count):
    """MQTT's remaining length."""
    field = b""
    while True:
        field += bytes([count % 128 | (128 if count > 127 else 0)])
        count //= 128
        if count == 0:
            return field


def packets(user, devices, numbers, start):
    """PUBLISH packets with quality of service 1, from each device in turn, once a second from `start`. A device drives 4 km north
    and back."""
    for number in numbers:
        step = number // devices % 240
        topic = f"owntracks/{user}/d{number % devices}".encode()
        payload = (b'{"_type":"location","lat":%.6f,"lon":%.6f,"tst":%d,"acc":5,"alt":500,"vel":120,"cog":90,"tid":"ab"}'
                   % (48 + min(step, 240 - step) * 3e-4, 11 + number % devices / 1e5, start + number // devices))
        body = struct.pack(">H", len(topic)) + topic + struct.pack(">H", number % 65535 + 1) + payload
        yield b"\x32" + length(len(body)) + body


def send(port, messages):
    """Sends the packets, and reads the broker's acknowledgements."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(b"\x10\x15\x00\x04MQTT\x04\x02\x00\x00\x00\x09benchmark")
        client.recv(4)
        left = 4 * len(messages)

        def drain():
            nonlocal left
            while left > 0:
                left -= len(client.recv(1 << 16)) or left

        reader = threading.Thread(target=drain)
        reader.start()
        for index in range(0, len(messages), 200):
            client.sendall(b"".join(messages[index:index + 200]))
        reader.join(120)


class Broker:
    """A broker and its subscribers; use it with `with`."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.log = os.path.join(folder, "broker.log")
        self.processes = []

    def __enter__(self):
        path = os.path.join(self.folder, "mosquitto.conf")
        with open(path, "w") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 1000\n"
                       "max_queued_messages 0\nlog_type subscribe\n")
        with open(self.log, "w") as log:
            self.processes.append(subprocess.Popen(["mosquitto", "-c", path], stdout=log, stderr=log))
        wait(lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0, "the broker listens", 10)
        return self

    def __exit__(self, *_):
        for process in self.processes[::-1]:
            process.kill()
            process.wait()

    def subscribe(self, user, command, output=subprocess.DEVNULL):
        """Starts a program that subscribes to the user's devices."""
        topic = f"owntracks/{user}/+"
        before = open(self.log).read().count(topic)
        self.processes.append(subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL))
        wait(lambda: open(self.log).read().count(topic) > before, f"{command[0]} has subscribed")
        return self.processes[-1]

    def collecting(self, user, journal, *options):
        return ["collect", "--subscribe", f"mqtt://127.0.0.1:{self.port}", "--topic", f"owntracks/{user}/+",
                "--subscribe-client-id", user, "--format", "none", "--journal", journal, *options]

    def collector(self, program, user, journal, *options):
        return self.subscribe(user, [program, *self.collecting(user, journal, *options)])

    def printer(self, user, *options):
        return ["mosquitto_sub", "-p", str(self.port), "-q", "1", "-t", f"owntracks/{user}/+", *options]

    def seconds(self, user, devices, first, start, arrived):
        """The seconds until `arrived` returns the number of a turn's messages."""
        messages = list(packets(user, devices, range(first, first + MESSAGES), start))
        began = time.monotonic()
        send(self.port, messages)
        wait(lambda: arrived() >= MESSAGES, "all messages are kept", 120, every=0.005)
        return time.monotonic() - began


def journal_rows(path):
    with contextlib.suppress(sqlite3.Error), sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return database.execute("select max(sequence) from locations").fetchone()[0] or 0
    return 0


def lines(path):
    """The number of lines so far, each time that it is asked for."""
    with open(path, "rb") as file:
        count = 0
        while True:
            count += sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 16), b""))
            yield count


def collect(binary, baseline, folder):
    # Every device enters and leaves each fence on its way north, and on its way back.
    fences = [part for number in range(3) for part in ("--fence", f"f{number}=48.0{number}8,11,1000")]
    start = int(time.time()) - 1_000_000
    with Broker(folder) as broker:
        subscribers = {}

        def add(user, program, *options, devices=100):
            path = os.path.join(folder, user)
            if program:
                process = broker.collector(program, user, path, *options)
                subscribers[user] = process, devices, lambda: journal_rows(path)
            else:
                with open(path, "wb") as output:
                    process = broker.subscribe(user, broker.printer(user, "-F", "%t %p"), output)
                subscribers[user] = process, devices, lambda counts=lines(path): next(counts)

        add("ours", binary)
        add("theirs", baseline)
        for name, options, devices in [("fences", fences, 100), ("devices", [], 10_000)]:
            add(name, binary, *options, devices=devices)
            if baseline:
                add(name + "-theirs", baseline, *options, devices=devices)
        for turn in itertools.count():
            spent, used = {}, {}
            for user in list(subscribers)[::-1 if turn % 2 else 1]:
                process, devices, count = subscribers[user]
                before, kept = processor(process), count()
                spent[user] = broker.seconds(user, devices, turn * MESSAGES, start, lambda: count() - kept)
                used[user] = processor(process) - before
            if turn == 0:
                # All devices appear in the first turn.
                continue
            pairs = {"collect": ("ours", "theirs"), "fences": ("fences", "fences-theirs" if baseline else "ours"),
                     "devices": ("devices", "devices-theirs" if baseline else "ours")}
            found = {name if name == "collect" else f"collect.{name}": tuple(spent[user] for user in pair)
                     for name, pair in pairs.items()}
            held = [memory(subscribers[user][0], "VmHWM") for user in pairs["devices"]]
            yield found | {"collect.processor": (used["ours"], used["theirs"]), "collect.memory": tuple(held)}


def into_database(binary, baseline, folder):
    """Without a baseline the peer is mosquitto_sub with COPY, which commits at the end."""
    if not PROGRAMS:
        return
    start = int(time.time()) - 1_000_000
    with PostgreSQL() as server, Broker(folder) as broker:
        urls = {user: server.database(user) for user in ("ours", "theirs")}
        broker.collector(binary, "ours", urls["ours"])
        if baseline:
            broker.collector(baseline, "theirs", urls["theirs"])
        else:
            server.rows("CREATE TABLE locations (topic text, payload text)", urls["theirs"])

        def seconds(user, turn):
            server.rows("TRUNCATE locations", urls[user])
            if user == "theirs" and not baseline:
                printer = " ".join(broker.printer(user, "-F", "'%t\t%p'", "-C", str(MESSAGES)))
                broker.subscribe(user, ["sh", "-c", f"{printer} | psql -qX '{urls[user]}' -c 'COPY locations FROM STDIN'"])
            rows = lambda: int(server.rows("SELECT count(*) FROM locations", urls[user])[0][0])
            return broker.seconds(user, 100, turn * MESSAGES, start, rows)

        for turn in itertools.count():
            spent = {user: seconds(user, turn) for user in list(urls)[::-1 if turn % 2 else 1]}
            if turn > 0:
                yield {"collect.database": (spent["ours"], spent["theirs"])}
