"""The delay from a record on standard output to its event at a browser's socket, with a hundred event streams, at 10 Hz
through a real gpsd. One thread reads the streams, and the times of the first stream count."""
import selectors, socket, statistics, subprocess, sys, threading, time

from .measure import Gpsd, free_port, wait

NEEDS = ["gpsd"]


def stamp(lines, times):
    """Notes the arrival of each line with a location, by the fix's time."""
    for line in lines:
        now = time.monotonic()
        start = line.find(b'{"type":"location"')
        if start < 0 or b'"state"' in line or line.startswith(b'data: {"version"'):
            continue
        found = line.find(b'"time":"', start)
        times.setdefault(line[found + 8:found + 32], now)


def follow(port, count, times, stop):
    """Reads `count` streams until `stop` is set."""
    selector = selectors.DefaultSelector()
    for number in range(count):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        selector.register(client, selectors.EVENT_READ, number)
    while not stop.is_set():
        for key, _ in selector.select(0.1):
            data = key.fileobj.recv(1 << 16)
            if not data:
                times["ended"] = True
                return
            if key.data == 0:
                stamp(data.split(b"\n"), times)
    for key in list(selector.get_map().values()):
        key.fileobj.close()


def events(binary, baseline, folder):
    gpsd, stop, port, records = Gpsd(), threading.Event(), free_port(), {}

    def play():
        start, index = time.monotonic(), 0
        while not stop.wait(max(0, start + index / 10 - time.monotonic())):
            gpsd.send(index, 10)
            index += 1

    def delay():
        """The median in milliseconds."""
        events, over = {}, threading.Event()
        reader = threading.Thread(target=follow, args=(port, 100, events, over))
        reader.start()
        time.sleep(3)
        over.set()
        reader.join()
        if events.pop("ended", False):
            sys.exit("an event stream has ended")
        return statistics.median((events[fix] - records[fix]) * 1e3 for fix in events if fix in records)

    feeding = threading.Thread(target=play)
    daemon = subprocess.Popen([binary, "run", "--gpsd", f"127.0.0.1:{gpsd.port}", "--map", f"127.0.0.1:{port}"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        threading.Thread(target=stamp, args=(daemon.stdout, records), daemon=True).start()
        feeding.start()
        wait(lambda: len(records) >= 20, "fixes")
        while True:
            yield {"events": (delay(), 0)}
    finally:
        stop.set()
        daemon.kill()
        daemon.wait()
        if feeding.ident:
            feeding.join()
        gpsd.end()
