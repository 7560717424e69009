"""The processor time of a replay whose fixes go to a reader of NMEA, less that of one whose records go to standard output, for each
fix; the best of several runs."""
import os, socket, threading

from .measure import DRIVE, best, drive, run, wait

NEEDS = []


def compare(binary, folder, scale):
    recording, path = drive(folder, int(30 * scale)), os.path.join(folder, "nmea.sock")
    replay = [binary, "replay", recording, "--speed", "max"]

    def read():
        reader = socket.socket(socket.AF_UNIX)
        wait(lambda: reader.connect_ex(path) == 0, "the socket is there")
        while reader.recv(1 << 16):
            pass

    def serve():
        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        cost = run([*replay, "--format", "none", "--nmea", f"unix:{path}"])
        thread.join()
        return cost

    record, sentences = best(5, replay, serve)
    fixes = 704 * os.path.getsize(recording) / os.path.getsize(DRIVE)
    return {"nmea": (sentences.cpu - record.cpu) / fixes * 1e6}
