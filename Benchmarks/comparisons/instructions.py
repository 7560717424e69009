"""Thousands of instructions of a fix, a message or a track's fix, as valgrind's cachegrind counts them: the long run's less the
short run's, so that the start is in neither.

From run to run they differ by one or two hundredths, however busy the machine is. A count tells nothing about waiting, caches and
the system; the rows of time do.
"""
import itertools, os, re, signal, subprocess, sys, time

from .collect import Broker, journal_rows, lines, packets, send
from .measure import StandIn, stripped, wait
from .tracks import make_recording

NEEDS = ["valgrind", "strip", "mosquitto"]


class Counted:
    """A program that runs under cachegrind, which cannot read Swift's debug information."""

    def __init__(self, program, folder, *arguments):
        self.log = os.path.join(folder, "instructions")
        self.command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
                        f"--log-file={self.log}", stripped(program, folder), *arguments]

    def start(self, output=subprocess.DEVNULL):
        self.process = subprocess.Popen(self.command, stdout=output, stderr=subprocess.DEVNULL)
        return self

    def total(self, stop=None):
        """The instructions until its end, in thousands."""
        if stop:
            self.process.send_signal(stop)
        if self.process.wait() != 0:
            sys.exit(f"{' '.join(self.command)}: exit {self.process.returncode}")
        with open(self.log) as file:
            return int(re.search(r"I +refs: +([\d,]+)", file.read())[1].replace(",", "")) / 1000


def each(count, binary, baseline, few, many):
    """What one more costs, of those that `count(program, number)` counts."""
    return tuple(program and (count(program, many) - count(program, few)) / (many - few) for program in (binary, baseline))


def of_drives(name, binary, baseline, folder, *command):
    """A fix of the shipped drive, which has 704 of them."""
    def count(program, fixes):
        path = os.path.join(folder, "drives.nmea")
        make_recording(path, fixes // 704)
        return Counted(program, folder, *command, path).start().total()

    yield {name: each(count, binary, baseline, 2 * 704, 8 * 704)}


def replay(binary, baseline, folder):
    return of_drives("replay.instructions", binary, baseline, folder, "replay", "--speed", "max")


def track(binary, baseline, folder):
    return of_drives("track.instructions", binary, baseline, folder, "track", "--quiet")


def live(binary, baseline, folder):
    def count(program, fixes):
        stand_in, path = StandIn(50), os.path.join(folder, "records")
        with open(path, "wb") as output:
            daemon = Counted(program, folder, "run", "--gpsd", f"127.0.0.1:{stand_in.port}").start(output)
        wait(lambda: stand_in.clients, "the daemon connects")
        stand_in.report(fixes / 50)
        written = lines(path)
        wait(lambda: next(written) >= fixes, "all fixes are written")
        return daemon.total(signal.SIGTERM)

    yield {"live.instructions": each(count, binary, baseline, 50, 250)}


def collect(binary, baseline, folder):
    """The broker is faster than a collector under cachegrind, so that batches are full."""
    start, users = int(time.time()) - 1_000_000, itertools.count()
    with Broker(folder) as broker:
        def count(program, messages):
            user = f"u{next(users)}"
            journal = os.path.join(folder, user)
            collector = Counted(program, folder, *broker.collecting(user, journal))
            collector.process = broker.subscribe(user, collector.command)
            send(broker.port, list(packets(user, 100, range(messages), start)))
            wait(lambda: journal_rows(journal) >= messages, "all messages are kept", 120)
            return collector.total(signal.SIGTERM)

        yield {"collect.instructions": each(count, binary, baseline, 2_000, 10_000)}
