"""The cost of a journal: `rxlocationd` with --journal beside the same without, in turns.

The first measurement is a replay at full speed, the best of several runs. Then both follow a stand-in for gpsd on loopback that
reports ten fixes a second; the first few seconds do not count. Memory is private memory (RssAnon and RssShmem), without the
shared pages of libraries. The journal is in the temporary folder: TMPDIR selects the disk.
"""
import os, signal, subprocess, sys

from .measure import StandIn, best, drive, memory, processor, repeated, run, wait

NEEDS = []


def beside(binary, arguments, seconds):
    """The processor time of a live run with these arguments as a multiple of that without, and the memory that they add."""
    stand_in = StandIn(10)
    live = [
        subprocess.Popen([binary, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", *more],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for more in ([], arguments)]
    try:
        wait(lambda: len(stand_in.clients) == len(live), "the daemons connect")
        stand_in.report(5)
        ratios = []
        for _ in repeated(2):
            before = [processor(process) for process in live]
            stand_in.report(seconds)
            used = [processor(process) - since for process, since in zip(live, before)]
            ratios.append(used[1] / used[0])
        held = [memory(process, "RssAnon", "RssShmem") for process in live]
        for process in live:
            process.send_signal(signal.SIGTERM)
            if process.wait(30) != 0:
                sys.exit(f"run: exit {process.returncode}")
    finally:
        for process in live:
            process.kill()
    return min(ratios), held[1] - held[0]


def compare(binary, folder, scale):
    recording, journal = drive(folder, int(30 * scale)), os.path.join(folder, "journal.db")
    replay = [binary, "replay", recording, "--speed", "max"]

    def with_journal():
        for suffix in ("", "-wal", "-shm", "-lock"):
            if os.path.exists(journal + suffix):
                os.remove(journal + suffix)
        return run([*replay, "--journal", journal])

    without, kept = best(3, replay, with_journal)
    processor_time, held = beside(binary, ["--journal", journal], 15 * scale)
    return {"journal": kept.wall / without.wall, "journal.live": processor_time, "journal.memory": held}
