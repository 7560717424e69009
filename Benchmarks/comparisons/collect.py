"""The rate of messages from many devices through a broker into the journal of `collect`, compared with mosquitto_sub -q 1
writing the same to a file, and into a database, compared with mosquitto_sub and psql's COPY; the rate with three fences compared
with none; and the collector's memory with many devices.

The broker is a mosquitto on a loopback port with at most a thousand messages in flight. This script sends the messages over one
connection.
"""
import socket, sqlite3, struct, subprocess, sys, tempfile, threading, time

from .database import PROGRAMS, PostgreSQL
from .measure import free_port, memory, repeated, wait

NEEDS = ["mosquitto", "mosquitto_sub"]


def length(count):
    """MQTT's remaining length."""
    field = b""
    while True:
        field += bytes([count % 128 | (128 if count > 127 else 0)])
        count //= 128
        if count == 0:
            return field


def packets(devices, count):
    """PUBLISH packets with quality of service 1, from each device in turn, once a second. A device drives
    4 km north and back."""
    now, found = int(time.time()), []
    for number in range(count):
        step = number // devices % 240
        topic = f"owntracks/u/d{number % devices}".encode()
        payload = (b'{"_type":"location","lat":%.6f,"lon":%.6f,"tst":%d,"acc":5,"alt":500,"vel":120,"cog":90,"tid":"ab"}'
                   % (48 + min(step, 240 - step) * 3e-4, 11 + number % devices / 1e5, now - (count - number) // devices))
        body = struct.pack(">H", len(topic)) + topic + struct.pack(">H", number % 65535 + 1) + payload
        found.append(b"\x32" + length(len(body)) + body)
    return found


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


def rate(command, count, ready, arrived, messages):
    """Messages a second until `arrived` returns true, and the MiB of the process then. `command` gets the port."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        with open(f"{folder}/mosquitto.conf", "w") as file:
            file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_inflight_messages 1000\n"
                       f"max_queued_messages 0\nlog_type subscribe\n")
        log = open(f"{folder}/log", "w")
        broker = subprocess.Popen(["mosquitto", "-c", f"{folder}/mosquitto.conf"], stdout=log, stderr=log)
        process = None
        try:
            wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker listens", 10)
            with open(f"{folder}/out", "wb") as output:
                process = subprocess.Popen(command(port, folder), stdout=output, stderr=subprocess.DEVNULL)
            wait(lambda: ready in open(f"{folder}/log").read(), "it has subscribed", 10)
            start = time.monotonic()
            send(port, messages)
            wait(lambda: arrived(folder) >= count, "all messages are kept", 120)
            return count / (time.monotonic() - start), memory(process, "VmHWM")
        finally:
            for child in [process, broker]:
                if child:
                    child.kill()
                    child.wait()


def journal_rows(folder):
    try:
        with sqlite3.connect(f"file:{folder}/fleet.db?mode=ro", uri=True) as database:
            return database.execute("select max(sequence) from locations").fetchone()[0] or 0
    except sqlite3.Error:
        return 0


def file_lines(folder):
    return int(subprocess.check_output(["wc", "-l", f"{folder}/out"]).split()[0])


def into_database(binary, count, messages):
    """Messages a second into a database, by `collect` and by mosquitto_sub with COPY, which commits at the end."""
    with PostgreSQL() as database:
        subprocess.run(["psql", "-qX", database.url, "-c", "CREATE TABLE raw (topic text, payload text)"], check=True)

        def rows(table):
            time.sleep(0.05)
            return int(database.rows(f"SELECT count(*) FROM {table}")[0][0])

        ours, _ = rate(
            lambda port, _: [binary, "collect", "--subscribe", f"mqtt://127.0.0.1:{port}", "--format", "none", "--journal",
                             database.url],
            count, "owntracks/+/+", lambda _: rows("locations"), messages)
        peer, _ = rate(
            lambda port, _: ["sh", "-c", f"mosquitto_sub -p {port} -q 1 -t owntracks/+/+ -F '%t\t%p' -C {count} | "
                             f"psql -qX '{database.url}' -c 'COPY raw FROM STDIN'"],
            count, "owntracks/+/+", lambda _: rows("raw"), messages)
        return ours / peer


def compare(binary, folder, scale):
    count = int(100_000 * scale)

    def ours(port, place, *more):
        return [binary, "collect", "--subscribe", f"mqtt://127.0.0.1:{port}", "--format", "none", "--journal",
                f"{place}/fleet.db", *more]

    # Every device enters and leaves each fence on its way north, and on its way back.
    fences = [part for number in range(3) for part in ("--fence", f"f{number}=48.0{number}8,11,1000")]

    def fenced(port, place):
        return ours(port, place, *fences)

    def peer(port, place):
        return ["mosquitto_sub", "-p", str(port), "-q", "1", "-t", "owntracks/+/+", "-F", "%t %p"]

    few, many = packets(100, count), packets(10_000, count)
    rates = [(rate(ours, count, "owntracks/+/+", journal_rows, few)[0],
              rate(peer, count, "owntracks/+/+", file_lines, few)[0]) for _ in repeated(3)]
    kept, printed = map(max, zip(*rates))
    with_fences = max(rate(fenced, count, "owntracks/+/+", journal_rows, few)[0] for _ in repeated(3))
    spread, size = rate(ours, count, "owntracks/+/+", journal_rows, many)
    found = {"collect": kept / printed, "collect.fences": with_fences / kept, "collect.devices": spread / kept,
             "collect.memory": size}
    if PROGRAMS:
        found["collect.database"] = max(into_database(binary, count, few) for _ in repeated(3))
    return found
