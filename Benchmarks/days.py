#!/usr/bin/env python3
"""The time of `track` for a day of one device (86,400 fixes) among ten million rows of many devices in the order of time, from an
SQLite journal and, if it is installed, from PostgreSQL.

    Benchmarks/days.py RXLOCATIOND
"""
import socket, sqlite3, subprocess, sys, tempfile, time

from comparisons.database import PROGRAMS, PostgreSQL
from comparisons.measure import free_port, wait

DEVICES, ROWS, START = 115, 10_000_000, 1_750_000_000
COLUMNS = 'time, latitude, longitude, altitude, "horizontalAccuracy", speed, course, mode, device, message, received'


def make_tables(journal):
    """Lets the program create its tables."""
    # The program needs a broker to start; a port that only listens is enough for creating the
    # tables.
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        process = subprocess.Popen(
            [sys.argv[1], "collect", "--subscribe", f"mqtt://127.0.0.1:{listener.getsockname()[1]}", "--format", "none",
             "--journal", journal] + ([] if "://" in journal else ["--journal-limit", "8G"]), stderr=subprocess.DEVNULL)
        listener.accept()
        process.terminate()
        process.wait()


def read(journal):
    times = []
    for _ in range(5):
        start = time.monotonic()
        text = subprocess.run(
            [sys.argv[1], "track", "--journal", journal, "--device", "u/d50", "--since", "2025-06-15T15:06:40Z", "--until",
             "2025-06-16T15:06:40Z", "--format", "json"], stdout=subprocess.PIPE, check=True).stdout
        times.append(time.monotonic() - start)
        assert b"86400" in text, text[:500]
    return f"{min(times):.2f} to {max(times):.2f} s"


with tempfile.TemporaryDirectory() as folder:
    path = f"{folder}/fleet.db"
    make_tables(path)
    with sqlite3.connect(path) as database:
        database.execute(
            f"""INSERT INTO locations (sequence, {COLUMNS}) WITH RECURSIVE n(i) AS
                (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS - 1})
                SELECT i + 1, ({START} + i / {DEVICES}) * 1000000000, 48 + (i % 1000) / 1e5, 11 + (i % 777) / 1e5, 520.5, 5, 10.25,
                90.5, 3, 'u/d' || (i % {DEVICES}), i * 2654435761, ({START} + i / {DEVICES}) * 1000000000 FROM n""")
    print("SQLite:", read(path), flush=True)
if PROGRAMS:
    with PostgreSQL() as server:
        make_tables(server.url)
        server.rows("CREATE TABLE locations_2025_06 PARTITION OF locations FOR VALUES FROM ('2025-06-01 00:00:00+00') TO "
                    "('2025-07-01 00:00:00+00')")
        server.rows(
            f"""INSERT INTO locations ({COLUMNS}) SELECT to_timestamp({START} + i / {DEVICES}), 48 + (i % 1000) / 1e5,
                11 + (i % 777) / 1e5, 520.5, 5, 10.25, 90.5, 3, 'u/d' || (i % {DEVICES}), i::bigint * 2654435,
                to_timestamp({START} + i / {DEVICES}) FROM generate_series(0, {ROWS - 1}) i""")
        server.rows("ANALYZE locations")
        size = server.rows("SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'locations'::regclass")
        print(f"a row in PostgreSQL: {int(size[0][0]) / ROWS:.0f} bytes with its index", flush=True)
        print("PostgreSQL:", read(server.url), flush=True)
        plan = server.rows("EXPLAIN ANALYZE SELECT time FROM locations WHERE device = 'u/d50' ORDER BY time, message")
        print("of which the server's own:", plan[-1][0])
