"""The bytes that `rxlocationd run` writes with the shipped settings in a day at one place, and in eight hours of driving.

Both are two minutes that are multiplied: all bytes that the process hands to the system (wchar in /proc/PID/io), and each row of
the journal once more, for writing the log back. A parked receiver wanders by up to three metres, and its clock runs ten times as
fast, because a fix in four minutes is kept. A driving one moves 13 m in a second.
"""
import os, random, signal, sqlite3, subprocess, sys, threading

from .measure import ROOT, StandIn, wait

NEEDS = []
ROW = 128


class Daemon:
    def __init__(self, binary, folder, name, stand_in):
        self.folder, self.stand_in = os.path.join(folder, name), stand_in
        os.mkdir(self.folder)
        settings = os.path.join(self.folder, "conf")
        with open(os.path.join(ROOT, "systemd/rxlocationd.conf")) as shipped, open(settings, "w") as file:
            text = shipped.read()
            file.write(text.replace("/var/lib/rxlocationd", self.folder).replace("/var/log/rxlocationd", self.folder))
        self.process = subprocess.Popen(
            [binary, "run", "--config", settings, "--gpsd", f"127.0.0.1:{stand_in.port}"], stderr=subprocess.DEVNULL)
        wait(lambda: stand_in.clients, "the daemon connects")

    def written(self):
        return next(int(line.split()[1]) for line in open(f"/proc/{self.process.pid}/io") if line.startswith("wchar"))

    def rows(self):
        with sqlite3.connect(os.path.join(self.folder, "journal.db")) as journal:
            return journal.execute("SELECT count(*) FROM locations").fetchone()[0]

    def measure(self, seconds):
        # The first fix is written at once, with all of the tables.
        self.stand_in.report(2)
        before, rows = self.written(), self.rows()
        self.stand_in.report(seconds)
        self.bytes = self.written() - before + ROW * (self.rows() - rows)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(30) != 0:
            sys.exit(f"run: exit {self.process.returncode}")


def compare(binary, folder, scale):
    wander = random.Random(1)
    seconds, daemons = int(120 * scale), []
    try:
        daemons.append(Daemon(binary, folder, "parked", StandIn(10, 1, lambda _: 51 + wander.uniform(-2.7e-5, 2.7e-5))))
        daemons.append(Daemon(binary, folder, "driving", StandIn(1, latitude=lambda index: 51 + index * 1.2e-4)))
        threads = [threading.Thread(target=daemon.measure, args=(seconds,)) for daemon in daemons]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for daemon in daemons:
            daemon.end()
    finally:
        for daemon in daemons:
            daemon.process.kill()
    parked, driving = (daemon.bytes / seconds / 1e6 for daemon in daemons)
    return {"disk.parked": parked / 10 * 86_400, "disk.driving": driving * 8 * 3600}
