"""Counts, which hardly vary: one measurement, or two, are enough, and other programs may run at the same time.

Wake-ups are a daemon's voluntary context switches while its receiver is silent; --stale-after is long, so that no lost fix is
reported during that time. System calls are those that `strace -c` counts of a replay and live, and allocations those that a
library preloaded into the daemon counts (allocations.c); both are the difference between a long run and a short one. Written
bytes are all that the process hands to the system with the shipped settings (wchar in /proc/PID/io), and each row of the journal
once more, for writing the log back. They are multiplied to a day at one place and to eight hours of driving. A parked receiver
wanders by up to three metres, and its clock runs ten times as fast, because a fix in four minutes is kept. A driving one moves
13 m in a second. Sizes are those of the program, in MB.
"""
import concurrent.futures, lzma, os, random, re, signal, sqlite3, subprocess, tempfile, time

from .measure import DRIVE, ROOT, StandIn, drive, stripped, wait

NEEDS = ["cc", "strace", "strip"]
HERE = os.path.dirname(os.path.abspath(__file__))
SILENCE, DAY, ROW, FIXES = 10, 40, 128, 200


def pair(measure, binary, baseline):
    return measure(binary), baseline and measure(baseline)


def wakeups(binary, baseline, folder):
    def switches(process):
        """The number of voluntary context switches of each thread, one for each wake-up."""
        found = {}
        for task in os.listdir(f"/proc/{process.pid}/task"):
            try:
                with open(f"/proc/{process.pid}/task/{task}/status") as lines:
                    found[task] = next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt"))
            except FileNotFoundError:
                pass
        return found

    stand_in = StandIn(100)
    process = subprocess.Popen([binary, "run", "--gpsd", f"127.0.0.1:{stand_in.port}", "--stale-after", "3600"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait(lambda: stand_in.clients, "the daemon connects")
        stand_in.report(1)
        # The runtime ends unused worker threads after a few seconds.
        time.sleep(10)
        for _ in range(2):
            before = switches(process)
            time.sleep(SILENCE)
            yield {"live.wakeups": (sum(count - before.get(task, 0) for task, count in switches(process).items()), None)}
    finally:
        process.kill()
        process.wait()


def allocations(binary, baseline, folder):
    """The allocations of a replayed fix."""
    library, counts = os.path.join(folder, "allocations.so"), os.path.join(folder, "counts")
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, os.path.join(HERE, "allocations.c")], check=True)

    def of_replay(program, megabytes):
        subprocess.run([program, "replay", drive(folder, megabytes), "--speed", "max"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, env=os.environ | {"LD_PRELOAD": library, "ALLOCATIONS": counts})
        with open(counts) as file:
            return int(file.read()), 704 * os.path.getsize(drive(folder, megabytes)) / os.path.getsize(DRIVE)

    def of_fix(program):
        (many, fixes), (few, fewer) = of_replay(program, 4), of_replay(program, 1)
        return (many - few) / (fixes - fewer)

    yield {"replay.allocations": pair(of_fix, binary, baseline)}


def calls(binary, baseline, folder):
    """The system calls of a live fix."""
    def of_run(program, fixes):
        stand_in, counts = StandIn(50), os.path.join(folder, f"calls-{fixes}")
        # With -D the process is the program, and strace its child.
        process = subprocess.Popen(
            ["strace", "-D", "-f", "-c", "-U", "calls,name", "-o", counts, program, "run", "--gpsd",
             f"127.0.0.1:{stand_in.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait(lambda: stand_in.clients, "the daemon connects")
        stand_in.report(fixes / 50)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        process.wait()
        wait(lambda: "total" in open(counts).read(), "strace has counted")
        with open(counts) as file:
            return int(file.read().split()[-2])

    yield {"live.calls": pair(lambda program: (of_run(program, 300) - of_run(program, 100)) / 200, binary, baseline)}


def disk(binary, baseline, folder):
    wander = random.Random(1)

    def written(program, stand_in):
        with tempfile.TemporaryDirectory(dir=folder) as own:
            settings, journal = os.path.join(own, "conf"), os.path.join(own, "journal.db")
            with open(os.path.join(ROOT, "systemd/rxlocationd.conf")) as shipped, open(settings, "w") as file:
                file.write(re.sub("/(var/lib|var/log|run)/rxlocationd", own, shipped.read()))
            # It says what is wrong with the settings, and little else.
            process = subprocess.Popen([program, "run", "--config", settings, "--gpsd", f"127.0.0.1:{stand_in.port}"])

            def bytes_so_far():
                with open(f"/proc/{process.pid}/io") as lines, sqlite3.connect(journal) as database:
                    rows = database.execute("SELECT count(*) FROM locations").fetchone()[0]
                    return next(int(line.split()[1]) for line in lines if line.startswith("wchar")) + ROW * rows

            try:
                wait(lambda: stand_in.clients, "the daemon connects")
                # The first fix is written at once, with all of the tables.
                stand_in.report(2)
                before = bytes_so_far()
                stand_in.report(DAY)
                return (bytes_so_far() - before) / DAY / 1e6
            finally:
                process.kill()
                process.wait()

    kinds = {
        "disk.parked": (86_400 / 10, lambda: StandIn(10, 1, lambda _: 51 + wander.uniform(-2.7e-5, 2.7e-5))),
        "disk.driving": (8 * 3600, lambda: StandIn(1, latitude=lambda index: 51 + index * 1.2e-4)),
    }
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = {name: [pool.submit(written, program, stand_in()) if program else None for program in (binary, baseline)]
                for name, (_, stand_in) in kinds.items()}
    yield {name: tuple(run and run.result() * kinds[name][0] for run in pair) for name, pair in runs.items()}


def sizes(binary, baseline, folder):
    def of(program):
        installed = stripped(program, folder)
        with open(installed, "rb") as file:
            packed = len(lzma.compress(file.read()))
        return os.path.getsize(program) / 1e6, os.path.getsize(installed) / 1e6, packed / 1e6

    ours, theirs = of(binary), baseline and of(baseline)
    yield {name: (ours[index], theirs and theirs[index])
           for index, name in enumerate(("size.program", "size.stripped", "size.packed"))}
