"""The rate at which a journal drains to a broker that returns, compared with mosquitto_pub -q 1 -l sending the same lines, and
to an HTTP server, compared with curl sending them over one connection.

The broker is a mosquitto on a loopback port; the server is below.

mosquitto_pub numbers its messages with 16 bits and mistakes the acknowledgement of an old one for that of the last: of 100,000
lines 2.0.11 sends 34,465 and ends with status 0. So it gets 50,000 lines at a time here, and the number that the broker reports
as received is compared with the number sent.
"""
import signal, socket, sqlite3, subprocess, sys, tempfile, threading, time

from .measure import free_port, repeated, sentence, wait

NEEDS = ["curl", "mosquitto", "mosquitto_pub", "mosquitto_sub"]
PIECE = 50_000
LINE = ('{"_type":"location","lat":37.0123,"lon":-122.406417,"tst":1780272000,"acc":9,"alt":10,"vel":19,"cog":90,'
        '"created_at":1795316639}\n')


def recording(path, fixes):
    with open(path, "w") as file:
        for second in range(fixes):
            day, rest = divmod(second, 86400)
            clock = f"{rest // 3600:02}{rest % 3600 // 60:02}{rest % 60:02}.00"
            minutes = second % 600000 / 10000
            date = f"{1 + day:02}0626"
            file.write(sentence(f"GPRMC,{clock},A,37{minutes:07.4f},N,12224.3850,W,10.0,90.0,{date},,,A"))
            file.write(sentence(f"GPGGA,{clock},37{minutes:07.4f},N,12224.3850,W,1,09,0.9,10.0,M,-32.0,M,,"))


def rows(journal, reader="publish"):
    """The number of the newest row, and the position of the publisher."""
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            newest = database.execute("select max(sequence) from locations").fetchone()[0] or 0
            return newest, database.execute("select cursor from readers where name=?", [reader]).fetchone()[0]
    except (sqlite3.Error, TypeError):
        return 0, 0


def received(port):
    """The number of messages that the broker has received; it reports that every second."""
    time.sleep(2.5)
    answer = subprocess.run(["mosquitto_sub", "-p", str(port), "-C", "1", "-t", "$SYS/broker/publish/messages/received"],
                            stdout=subprocess.PIPE, check=True, timeout=10)
    return int(answer.stdout)


def drain(binary, folder, fixes, address, reader, start):
    """Messages a second of a journal's backlog to the server that `start` starts after the journal is full."""
    nmea, journal = f"{folder}/recording.nmea", f"{folder}/journal.db"
    recording(nmea, fixes)
    daemon = subprocess.Popen(
        [binary, "replay", nmea, "--speed", "max", "--format", "none", "--journal", journal, "--publish", address,
         "--publish-topic", "benchmark"], stderr=subprocess.DEVNULL)
    try:
        wait(lambda: rows(journal, reader)[0] >= fixes - 1, "the journal is full", 300)
        start()
        started = None
        while daemon.poll() is None:
            _, cursor = rows(journal, reader)
            if cursor and started is None:
                started = (time.monotonic(), cursor)
            time.sleep(0.01)
        if daemon.returncode != 0 or started is None:
            sys.exit(f"replay with --publish {address}: exit {daemon.returncode}")
        return (fixes - started[1]) / (time.monotonic() - started[0])
    finally:
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()


def publish(binary, folder, fixes):
    """Messages a second of a journal's backlog, and of mosquitto_pub."""
    port, configuration = free_port(), f"{folder}/mosquitto.conf"
    with open(configuration, "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nsys_interval 1\n")
    brokers = []
    try:
        ours = drain(
            binary, folder, fixes, f"mqtt://127.0.0.1:{port}", "publish",
            lambda: brokers.append(subprocess.Popen(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL)))
        before, seconds = received(port), 0
        for first in range(0, fixes, PIECE):
            began = time.monotonic()
            subprocess.run(["mosquitto_pub", "-p", str(port), "-q", "1", "-t", "benchmark", "-l"],
                           input=LINE * min(PIECE, fixes - first), text=True, check=True)
            seconds += time.monotonic() - began
        if received(port) - before != fixes:
            sys.exit(f"mosquitto_pub sent {received(port) - before} of {fixes} lines")
        return ours, fixes / seconds
    finally:
        for broker in brokers:
            broker.kill()
            broker.wait()


def take(client, counts):
    """Answers each request of a connection."""
    rest = b""
    while block := client.recv(65536):
        rest += block
        while b"\r\n\r\n" in rest:
            head, body = rest.split(b"\r\n\r\n", 1)
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            if len(body) < length:
                break
            rest = body[length:]
            counts["messages"] += 1
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]")


def serve(port, counts):
    listener = socket.create_server(("127.0.0.1", port))

    def accept():
        while True:
            client, _ = listener.accept()
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            counts["connections"] += 1
            threading.Thread(target=take, args=(client, counts), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()


def post(binary, folder, fixes):
    """Messages a second to an HTTP server, and of curl."""
    port, counts = free_port(), {"messages": 0, "connections": 0}
    url = f"http://127.0.0.1:{port}/pub"
    ours = drain(binary, folder, fixes, url, f"publish 127.0.0.1:{port}", lambda: serve(port, counts))
    text = LINE.strip().replace('"', '\\"')
    request = f'url={url}\nheader="Content-Type: application/json"\ndata="{text}"\noutput=/dev/null\n'
    with open(f"{folder}/curl.conf", "w") as file:
        file.write("next\n".join([request] * fixes))
    counts.update(messages=0, connections=0)
    began = time.monotonic()
    subprocess.run(["curl", "--parallel", "--parallel-max", "1", "-K", f"{folder}/curl.conf"],
                   stderr=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - began
    if counts != {"messages": fixes, "connections": 1}:
        sys.exit(f"curl made {counts} for {fixes} messages")
    return ours, fixes / seconds


def compare(binary, folder, scale):
    figures = {}
    for name, measure, fixes in [("publish", publish, 50_000), ("publish.http", post, 20_000)]:
        rates = []
        for _ in repeated(2):
            with tempfile.TemporaryDirectory(dir=folder) as own:
                rates.append(measure(binary, own, int(fixes * scale)))
        ours, peer = map(max, zip(*rates))
        figures[name] = ours / peer
    return figures
