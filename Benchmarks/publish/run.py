#!/usr/bin/env python3
"""How fast a journal drains to a broker that comes back, compared with mosquitto_pub -q 1 -l sending the same lines.

    Benchmarks/publish/run.py BINARY [FIXES]

The broker is a mosquitto on a loopback port. Needs mosquitto, mosquitto_pub and mosquitto_sub.

mosquitto_pub numbers its messages with 16 bits and takes the acknowledgement of an old one for that of the last: of 100,000
lines 2.0.11 sends 34,465 and ends with status 0. So it gets 50,000 lines at a time here, and what the broker says that it
has received is compared with what was sent.
"""
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

PIECE = 50_000


def sentence(body):
    checksum = 0
    for character in body.encode():
        checksum ^= character
    return f"${body}*{checksum:02X}\r\n"


def recording(path, fixes):
    with open(path, "w") as file:
        for second in range(fixes):
            day, rest = divmod(second, 86400)
            clock = f"{rest // 3600:02}{rest % 3600 // 60:02}{rest % 60:02}.00"
            minutes = second % 600000 / 10000
            date = f"{1 + day:02}0626"
            file.write(sentence(f"GPRMC,{clock},A,37{minutes:07.4f},N,12224.3850,W,10.0,90.0,{date},,,A"))
            file.write(sentence(f"GPGGA,{clock},37{minutes:07.4f},N,12224.3850,W,1,09,0.9,10.0,M,-32.0,M,,"))


def resident(process):
    for line in open(f"/proc/{process.pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def rows(journal):
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


def main():
    binary, fixes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    folder = tempfile.mkdtemp(prefix="publish-benchmark-")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    configuration = f"{folder}/mosquitto.conf"
    open(configuration, "w").write(
        f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nsys_interval 1\n")
    nmea, journal = f"{folder}/recording.nmea", f"{folder}/journal.db"
    recording(nmea, fixes)
    arguments = [binary, "replay", nmea, "--speed", "max", "--format", "none", "--journal", journal,
                 "--publish", f"mqtt://127.0.0.1:{port}", "--publish-topic", "benchmark"]

    daemon = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    early, deadline = None, time.time() + 300
    while rows(journal)[0] < fixes - 1 and time.time() < deadline:
        if early is None and rows(journal)[0] > fixes / 5:
            early = resident(daemon)
        time.sleep(0.005)
    print(f"broker away: {rows(journal)[0]} rows in the journal, resident {(early or 0) / 1024:.1f} MiB after a fifth of "
          f"them, {resident(daemon) / 1024:.1f} MiB at the end")
    broker = subprocess.Popen(["mosquitto", "-c", configuration], stderr=subprocess.DEVNULL)
    started = None
    while daemon.poll() is None:
        _, cursor = rows(journal)
        if cursor and started is None:
            started = (time.time(), cursor)
        time.sleep(0.01)
    seconds = time.time() - started[0]
    ours = (fixes - started[1]) / seconds
    print(f"drained: {ours:.0f} messages a second, status {daemon.returncode}")

    line = ('{"_type":"location","lat":37.0123,"lon":-122.406417,"tst":1780272000,"acc":9,"alt":10,"vel":19,"cog":90,'
            '"created_at":1795316639}\n')
    before, seconds = received(port), 0
    for first in range(0, fixes, PIECE):
        lines = line * min(PIECE, fixes - first)
        started = time.time()
        subprocess.run(["mosquitto_pub", "-p", str(port), "-q", "1", "-t", "benchmark", "-l"], input=lines, text=True,
                       check=True)
        seconds += time.time() - started
    peer = fixes / seconds
    if received(port) - before != fixes:
        sys.exit(f"mosquitto_pub sent {received(port) - before} of {fixes} lines")
    print(f"mosquitto_pub: {peer:.0f} messages a second; ratio {ours / peer:.2f}")
    broker.send_signal(signal.SIGTERM)


if __name__ == "__main__":
    main()
