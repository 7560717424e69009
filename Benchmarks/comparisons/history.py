"""The time of a one-hour request for history.json while twelve clients ask for the whole range and leave at once, again and
again, compared with its time on an idle page."""
import socket, sqlite3, statistics, subprocess, threading, time, urllib.error, urllib.request

from .measure import free_port, wait

NEEDS = []
START = 1_750_000_000
COLUMNS = ('time, latitude, longitude, altitude, "ellipsoidalAltitude", "horizontalAccuracy", "verticalAccuracy", course, speed, '
           'mode, satellites, source, simulated, climb, "satellitesSeen", hdop, vdop, pdop, "geoidSeparation"')


def fill(path, seconds, rate):
    """Adds fixes to a journal: the receiver repeatedly drives for an hour and a half and rests for half an hour."""
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


def serve(binary, folder, seconds, rate):
    """A daemon with such a journal, and the port of its page."""
    path, port = f"{folder}/journal.db", free_port()
    subprocess.run([binary, "replay", "-", "--format", "none", "--journal", path], stdin=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    fill(path, seconds, rate)
    process = subprocess.Popen(
        [binary, "run", "--gpsd", f"127.0.0.1:{free_port()}", "--format", "none", "--journal", path, "--journal-limit", "8G",
         "--map", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)

    def is_there():
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/state.json").status == 200
        except OSError:
            return False

    wait(is_there, "the page is there", 30)
    return process, port


def target(seconds):
    since, until = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment)) for moment in (START, START + seconds))
    return f"/history.json?since={since}&until={until}"


def compare(binary, folder, scale):
    day = int(86_400 * scale)
    process, port = serve(binary, folder, day, 10)

    def hour():
        times = []
        for _ in range(9):
            start = time.monotonic()
            while True:
                # A page that has enough to compute answers with 503, and the client asks again.
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}{target(3600)}").read()
                    break
                except urllib.error.HTTPError as error:
                    assert error.code == 503, error
                    time.sleep(0.05)
            times.append(time.monotonic() - start)
        return statistics.median(times)

    def come_and_go():
        while not is_over.is_set():
            with socket.create_connection(("127.0.0.1", port)) as client:
                client.sendall(f"GET {target(day)} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
                time.sleep(0.05)

    try:
        idle, is_over = hour(), threading.Event()
        threads = [threading.Thread(target=come_and_go) for _ in range(12)]
        for thread in threads:
            thread.start()
        busy = hour()
        is_over.set()
        for thread in threads:
            thread.join()
        return {"history": busy / idle}
    finally:
        process.kill()
        process.wait()
