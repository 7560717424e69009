"""The time of the map page for an hour of history from the journal, while twelve clients ask for the whole day and leave before the
answer, compared with the same request alone. The receiver repeatedly drives for an hour and a half and rests for half an hour.
"""
import contextlib, http.client, os, sqlite3, statistics, subprocess, tempfile, threading, time

from .measure import free_port, turns, wait

NEEDS = []
DAY, START = 86_400, 1_750_000_000
COLUMNS = ('time, latitude, longitude, altitude, "ellipsoidalAltitude", "horizontalAccuracy", "verticalAccuracy", course, speed, '
           'mode, satellites, source, simulated, climb, "satellitesSeen", hdop, vdop, pdop, "geoidSeparation"')


def fill(path, seconds, rate):
    # A small circle at 15 m/s; at rest the speed is 0.
    moving = f"((i / {rate}) % 7200 < 5400)"
    driven = f"((i / {rate}) / 7200 * 5400 + min((i / {rate}) % 7200, 5400) + {moving} * (i % {rate}) * 1.0 / {rate})"
    with sqlite3.connect(path) as database:
        database.execute(
            f"""INSERT INTO locations (sequence, {COLUMNS}) WITH RECURSIVE n(i) AS
                (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {seconds * rate - 1})
                SELECT i + 1, {START} * 1000000000 + i * (1000000000 / {rate}), 48 + 0.1 * sin({driven} / 741.3),
                11 + 0.15 * cos({driven} / 741.3), 520.5, 567.5, 4, 8, 90.5, 15.0 * {moving}, 3, 12, '/dev/ttyACM0', 0, 0.1, 20,
                0.8, 1.2, 1.5, 47 FROM n""")


@contextlib.contextmanager
def page(binary, seconds, rate):
    """A daemon with a page and a journal of that many seconds: its process and its port."""
    with tempfile.TemporaryDirectory() as folder:
        journal, port = os.path.join(folder, "journal.db"), free_port()
        subprocess.run([binary, "replay", "-", "--format", "none", "--journal", journal], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        fill(journal, seconds, rate)
        process = subprocess.Popen(
            [binary, "run", "--gpsd", f"127.0.0.1:{free_port()}", "--format", "none", "--journal", journal, "--journal-limit",
             "8G", "--map", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)

        def is_there():
            try:
                return get(port, "/state.json")
            except OSError:
                return False

        try:
            wait(is_there, "the page is there")
            yield process, port
        finally:
            process.kill()
            process.wait()


def history(start, seconds):
    """The path of the request for that part of the journal."""
    since, until = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + moment)) for moment in (start, start + seconds))
    return f"/history.json?since={since}&until={until}"


def get(port, path):
    """The body of an answer; a request that is refused is sent again, as Retry-After asks for."""
    while True:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        client.request("GET", path)
        answer = client.getresponse()
        body = answer.read()
        client.close()
        if answer.status != 503:
            assert answer.status == 200, (answer.status, body[:500])
            return body
        time.sleep(float(answer.headers["Retry-After"]))


def hours(binary, baseline, folder):
    leaving = threading.Event()

    def ask_and_leave(port):
        while not leaving.is_set():
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            client.request("GET", history(0, DAY))
            time.sleep(0.05)
            client.close()

    def hour(port):
        start = time.monotonic()
        get(port, history(DAY // 2, 3600))
        return time.monotonic() - start

    def busy(port):
        leaving.clear()
        clients = [threading.Thread(target=ask_and_leave, args=(port,)) for _ in range(12)]
        for client in clients:
            client.start()
        time.sleep(0.3)
        seconds = statistics.median(hour(port) for _ in range(5))
        leaving.set()
        for client in clients:
            client.join()
        return seconds

    with page(binary, DAY, 10) as (_, port):
        for pair in turns(lambda: busy(port), lambda: statistics.median(hour(port) for _ in range(5))):
            yield {"history": pair}
