"""The rate at which a journal drains to a broker that returns, compared with mosquitto_pub -q 1 -l sending the same lines, and
to an HTTP server, compared with curl sending them over one connection.

The broker is a mosquitto on a loopback port; the server is below. mosquitto_pub 2.0.11 numbers its messages with 16 bits and
mistakes the acknowledgement of an old one for that of the last, so it gets fewer lines than that.
"""
import os, signal, socket, sqlite3, subprocess, sys, tempfile, threading, time

from .measure import free_port, sentence, turns, wait

NEEDS = ["curl", "mosquitto", "mosquitto_pub"]
MESSAGES, POSTS = 20_000, 5_000
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


def drain(binary, folder, fixes, address, reader, start):
    """The seconds in which a journal's backlog goes to the server that `start` starts after the journal is full."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        nmea, journal = f"{folder}/{fixes}.nmea", f"{own}/journal.db"
        if not os.path.exists(nmea):
            recording(nmea, fixes)
        daemon = subprocess.Popen(
            [binary, "replay", nmea, "--speed", "max", "--format", "none", "--journal", journal, "--publish", address,
             "--publish-topic", "benchmark"], stderr=subprocess.DEVNULL)
        try:
            wait(lambda: rows(journal, reader)[0] >= fixes - 1, "the journal is full", 300)
            start()
            first = None
            while daemon.poll() is None:
                _, cursor = rows(journal, reader)
                if cursor and first is None:
                    first = (time.monotonic(), cursor)
                time.sleep(0.01)
            if daemon.returncode != 0 or first is None:
                sys.exit(f"replay with --publish {address}: exit {daemon.returncode}")
            return (time.monotonic() - first[0]) * fixes / (fixes - first[1])
        finally:
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()


def publish(binary, baseline, folder):
    port, configuration, brokers = free_port(), f"{folder}/mosquitto.conf", []
    with open(configuration, "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")

    def start():
        brokers.append(subprocess.Popen(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL))

    def stop():
        while brokers:
            broker = brokers.pop()
            broker.kill()
            broker.wait()

    def ours(program):
        stop()
        return drain(program, folder, MESSAGES, f"mqtt://127.0.0.1:{port}", "publish", start)

    def theirs():
        if baseline:
            return ours(baseline)
        began = time.monotonic()
        subprocess.run(["mosquitto_pub", "-p", str(port), "-q", "1", "-t", "benchmark", "-l"], input=LINE * MESSAGES, text=True,
                       check=True)
        return time.monotonic() - began

    try:
        start()
        wait(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "the broker listens", 10)
        for pair in turns(lambda: ours(binary), theirs):
            yield {"publish": pair}
    finally:
        stop()


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


def post(binary, baseline, folder):
    text = LINE.strip().replace('"', '\\"')

    def server():
        return free_port(), {"messages": 0, "connections": 0}

    def ours(program):
        port, counts = server()
        return drain(program, folder, POSTS, f"http://127.0.0.1:{port}/pub", f"publish 127.0.0.1:{port}",
                     lambda: serve(port, counts))

    def theirs():
        if baseline:
            return ours(baseline)
        port, counts = server()
        serve(port, counts)
        request = f'url=http://127.0.0.1:{port}/pub\nheader="Content-Type: application/json"\ndata="{text}"\noutput=/dev/null\n'
        with open(f"{folder}/curl.conf", "w") as file:
            file.write("next\n".join([request] * POSTS))
        began = time.monotonic()
        subprocess.run(["curl", "--parallel", "--parallel-max", "1", "-K", f"{folder}/curl.conf"], stderr=subprocess.DEVNULL,
                       check=True)
        seconds = time.monotonic() - began
        if counts != {"messages": POSTS, "connections": 1}:
            sys.exit(f"curl made {counts} for {POSTS} messages")
        return seconds

    for pair in turns(lambda: ours(binary), theirs):
        yield {"publish.http": pair}
