"""How fast a journal drains to a broker that comes back, compared with mosquitto_pub -q 1 -l sending the same lines.

The broker is a mosquitto on a loopback port.

mosquitto_pub numbers its messages with 16 bits and takes the acknowledgement of an old one for that of the last: of 100,000
lines 2.0.11 sends 34,465 and ends with status 0. So it gets 50,000 lines at a time here, and what the broker says that it
has received is compared with what was sent.
"""
import signal, sqlite3, subprocess, sys, tempfile, time

from .measure import free_port, sentence, wait

NEEDS = ["mosquitto", "mosquitto_pub", "mosquitto_sub"]
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


def rows(journal):
    """The number of the newest row, and how far the publisher has come."""
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as database:
            newest = database.execute("select max(sequence) from locations").fetchone()[0] or 0
            return newest, database.execute("select cursor from readers where name='publish'").fetchone()[0]
    except (sqlite3.Error, TypeError):
        return 0, 0


def received(port):
    """How many messages the broker was sent so far; it says so every second."""
    time.sleep(2.5)
    answer = subprocess.run(["mosquitto_sub", "-p", str(port), "-C", "1", "-t", "$SYS/broker/publish/messages/received"],
                            stdout=subprocess.PIPE, check=True, timeout=10)
    return int(answer.stdout)


def publish(binary, folder, fixes):
    """Messages a second of a journal's backlog, and of mosquitto_pub."""
    port, configuration = free_port(), f"{folder}/mosquitto.conf"
    with open(configuration, "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nsys_interval 1\n")
    nmea, journal = f"{folder}/recording.nmea", f"{folder}/journal.db"
    recording(nmea, fixes)
    daemon = subprocess.Popen(
        [binary, "replay", nmea, "--speed", "max", "--format", "none", "--journal", journal, "--publish",
         f"mqtt://127.0.0.1:{port}", "--publish-topic", "benchmark"], stderr=subprocess.DEVNULL)
    broker = None
    try:
        wait(lambda: rows(journal)[0] >= fixes - 1, "the journal is full", 300)
        broker = subprocess.Popen(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL)
        started = None
        while daemon.poll() is None:
            _, cursor = rows(journal)
            if cursor and started is None:
                started = (time.monotonic(), cursor)
            time.sleep(0.01)
        if daemon.returncode != 0 or started is None:
            sys.exit(f"replay with --publish: exit {daemon.returncode}")
        ours = (fixes - started[1]) / (time.monotonic() - started[0])

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
        for process in (daemon, broker):
            if process:
                process.send_signal(signal.SIGKILL)
                process.wait()


def compare(binary, folder, scale):
    rates = []
    for _ in range(2):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            rates.append(publish(binary, own, int(50_000 * scale)))
    ours, peer = map(max, zip(*rates))
    return {"publish": ours / peer}
