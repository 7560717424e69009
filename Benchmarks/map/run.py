#!/usr/bin/env python3
"""What the map page's events cost: how long after a record on standard output its event is at a browser's socket, and the
processor time with no, one and a hundred streams, at 10 Hz through a real gpsd.

usage: Benchmarks/map/run.py PATH-OF-RXLOCATIOND [--seconds 30] [--streams 0,1,100] [--check]

A receiver on loopback feeds gpsd. The streams are read by one thread, of which the first one's times count. With --check
the status is 1 unless the median event is at most 2 ms later than the record.
"""
import argparse, json, os, selectors, signal, socket, statistics, subprocess, sys, threading, time


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def epoch(index):
    seconds, part = divmod(index, 10)
    clock = f"{12 + seconds // 3600:02d}{seconds // 60 % 60:02d}{seconds % 60:02d}.{part}0"
    minutes = f"10.{index % 10_000:04d}"
    return (sentence(f"GPRMC,{clock},A,51{minutes},N,00007.5000,W,10.0,45.0,010225,,,A")
            + sentence(f"GPGGA,{clock},51{minutes},N,00007.5000,W,1,08,0.9,35.0,M,47.0,M,,")
            + sentence("GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.6,0.9,1.3"))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def processor(process):
    """Nanoseconds that its threads ran."""
    return sum(int(open(f"/proc/{process.pid}/task/{task}/schedstat").read().split()[0])
               for task in os.listdir(f"/proc/{process.pid}/task"))


def stamp(lines, times):
    """Notes when each line with a location came, by the fix's time."""
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
                sys.exit("a stream has ended")
            if key.data == 0:
                stamp(data.split(b"\n"), times)
    for key in list(selector.get_map().values()):
        key.fileobj.close()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("rxlocationd")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--streams", default="0,1,100")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()

    receiver = socket.create_server(("127.0.0.1", 0))
    gpsd_port, map_port = free_port(), free_port()
    gpsd = subprocess.Popen(["gpsd", "-N", "-n", "-S", str(gpsd_port), f"tcp://127.0.0.1:{receiver.getsockname()[1]}"],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    daemon, median = None, None
    try:
        feed, _ = receiver.accept()

        def play():
            start, index = time.monotonic(), 0
            while True:
                time.sleep(max(0, start + index / 10 - time.monotonic()))
                try:
                    feed.sendall(epoch(index).encode())
                except OSError:
                    return
                index += 1

        threading.Thread(target=play, daemon=True).start()
        daemon = subprocess.Popen(
            [options.rxlocationd, "run", "--gpsd", f"127.0.0.1:{gpsd_port}", "--map", f"127.0.0.1:{map_port}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        records = {}
        threading.Thread(target=stamp, args=(daemon.stdout, records), daemon=True).start()
        deadline = time.monotonic() + 20
        while len(records) < 20:
            if time.monotonic() > deadline:
                sys.exit("no fixes")
            time.sleep(0.1)
        for count in map(int, options.streams.split(",")):
            events, stop = {}, threading.Event()
            reader = threading.Thread(target=follow, args=(map_port, count, events, stop))
            reader.start()
            time.sleep(2)
            before, start = processor(daemon), time.monotonic()
            time.sleep(options.seconds)
            used = (processor(daemon) - before) / 1e6 / (time.monotonic() - start)
            stop.set()
            reader.join()
            later = sorted((events[fix] - records[fix]) * 1e3 for fix in list(events) if fix in records)
            text = f"{count:4} streams  {used:6.2f} ms of processor time a second"
            if later:
                median = statistics.median(later)
                text += f"; events {median:+.2f} ms after standard output at the median, {later[-1]:+.2f} ms at most"
            print(text)
    finally:
        if daemon:
            daemon.send_signal(signal.SIGTERM)
            daemon.wait()
        gpsd.terminate()
        gpsd.wait()
    if options.check and (median is None or median > 2):
        sys.exit(1)


if __name__ == "__main__":
    main()
