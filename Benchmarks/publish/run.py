#!/usr/bin/env python3
"""How fast a journal drains to a broker that comes back, compared with mosquitto_pub -q 1 -l sending the same lines.

    Benchmarks/publish/run.py BINARY [FIXES]

The broker is a mosquitto on a loopback port. Needs mosquitto, mosquitto_pub and mosquitto_sub.
"""
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time


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


def main():
    binary, fixes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    folder = tempfile.mkdtemp(prefix="publish-benchmark-")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    configuration = f"{folder}/mosquitto.conf"
    open(configuration, "w").write(f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n")
    nmea, journal = f"{folder}/recording.nmea", f"{folder}/journal.db"
    recording(nmea, fixes)
    arguments = [binary, "replay", nmea, "--speed", "max", "--format", "none", "--journal", journal,
                 "--publish", f"mqtt://127.0.0.1:{port}", "--publish-topic", "benchmark"]

    daemon = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    memory, deadline = [], time.time() + 300
    while rows(journal)[0] < fixes - 1 and time.time() < deadline:
        memory.append(resident(daemon))
        time.sleep(0.2)
    print(f"broker away: {rows(journal)[0]} rows in the journal, resident {max(memory) / 1024:.1f} MiB at most")
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
    started = time.time()
    subprocess.run(["mosquitto_pub", "-p", str(port), "-q", "1", "-t", "benchmark", "-l"], input=line * fixes, text=True,
                   check=True)
    peer = fixes / (time.time() - started)
    print(f"mosquitto_pub: {peer:.0f} messages a second; ratio {ours / peer:.2f}")
    broker.send_signal(signal.SIGTERM)


main()
