"""The cost of a record: `rxlocationd` with --record beside the same without, as for the journal."""
import os

from .journal import beside

NEEDS = []


def compare(binary, folder, scale):
    return {"record.live": beside(binary, ["--record", os.path.join(folder, "gps.record")], 15 * scale)[0]}
