"""The reactive kernel beside OpenCombine, and a call through a delegate proxy beside one through a weak reference: the best times
of the package in Benchmarks/. Its executables run without the package plugin, which takes longer to build than they do."""
import os, re, subprocess, sys

from .measure import ROOT

NEEDS = ["swift"]
# The part of a row's name before the colon, and the row that it is compared with.
SUBJECT = "subject → subscriber"
AGAINST_OPENCOMBINE = {
    "rx.subject": SUBJECT,
    "rx.map-filter": "subject → map → filter → subscriber",
    "rx.fan-out-8": "fan-out to 8",
    "rx.fan-out-1000": "fan-out to 1000",
    "rx.relay": "relay accept",
}
# OpenCombine has no such row, so its subject is used.
AGAINST_ITS_SUBJECT = {"rx.combineLatest": "combineLatest of two: Rx"}
WEAK = "call, direct, delegate held weakly"
AGAINST_WEAK = {
    "proxy.observed": "call, observed by one, delegate held weakly",
    "proxy.unobserved": "call, unobserved, delegate held weakly",
}


def rows(executable, names):
    """The best time of each row, in nanoseconds for all its events."""
    filters = [part for name in names for part in ("--filter", re.escape(name))]
    output = subprocess.run([executable, "--quiet", "true", *filters], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for block in output.split("Debug results for ")[1:]:
        name, rest = block.split(":\n", 1)
        # Value, percentile and count at the lowest percentile.
        found[name] = float(re.search(r"^ *([0-9.]+) 0\.0+ ", rest, re.MULTILINE)[1])
    lacking = [name for name in names if not found.get(name)]
    if lacking:
        sys.exit(f"{os.path.basename(executable)} has no result for {', '.join(lacking)}")
    return found


def executable(name):
    build = ["swift", "build", "-c", "release", "--package-path", os.path.join(ROOT, "Benchmarks")]
    subprocess.run(build, stdout=sys.stderr, check=True)
    path = subprocess.run([*build, "--show-bin-path"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    return os.path.join(path, name)


def rx(binary, baseline, folder):
    program = executable("RxBenchmarks")
    names = [f"{name}: {library}" for name in AGAINST_OPENCOMBINE.values() for library in ("Rx", "OpenCombine")]
    while True:
        times = rows(program, [*names, *AGAINST_ITS_SUBJECT.values()])
        yield {row: (times[f"{name}: Rx"], times[f"{name}: OpenCombine"]) for row, name in AGAINST_OPENCOMBINE.items()} | {
            row: (times[name], times[f"{SUBJECT}: OpenCombine"]) for row, name in AGAINST_ITS_SUBJECT.items()}


def proxy(binary, baseline, folder):
    program = executable("DelegateProxyBenchmarks")
    while True:
        times = rows(program, [WEAK, *AGAINST_WEAK.values()])
        yield {row: (times[name], times[WEAK]) for row, name in AGAINST_WEAK.items()}
