"""The time until a recording's first line is on standard output, as JSON lines of ours and of gpsdecode."""
import subprocess, time

from .measure import DRIVE, turns

NEEDS = ["gpsdecode"]


def start(binary, baseline, folder):
    def first_line(*command):
        with open(DRIVE, "rb") as recording:
            began = time.monotonic()
            process = subprocess.Popen(command, stdin=recording, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            process.stdout.readline()
            seconds = time.monotonic() - began
            process.stdout.read()
            process.wait()
        return seconds

    replay = ("replay", "-", "--speed", "max")
    for ours, theirs in turns(lambda: first_line(binary, *replay),
                              lambda: first_line(baseline, *replay) if baseline else first_line("gpsdecode", "-j")):
        yield {"start": (ours, theirs)}
