"""Maps with vector tiles for the tests of the page: a small town, and a dense city, in two schemas and two kinds of files."""
import gzip
import json
import math
import random
import sqlite3
import struct

# The side of the world in the pixels of zoom level 16, which are the coordinates of everything here.
WORLD = 256 << 16
EXTENT = 4096

# The layers and properties of things in each schema.
SCHEMAS = {
    "protomaps": {
        "sea": ("water", {"kind": "ocean"}), "river": ("water", {"kind": "river"}), "park": ("landuse", {"kind": "park"}),
        "wood": ("landuse", {"kind": "wood"}), "built": ("landuse", {"kind": "residential"}), "beach": ("landuse", {"kind": "beach"}),
        "building": ("buildings", {"kind": "building"}), "border": ("boundaries", {"kind": "country", "kind_detail": 2}),
        "motorway": ("roads", {"kind": "highway", "kind_detail": "motorway"}),
        "primary": ("roads", {"kind": "major_road", "kind_detail": "primary"}),
        "secondary": ("roads", {"kind": "major_road", "kind_detail": "secondary"}),
        "minor": ("roads", {"kind": "minor_road", "kind_detail": "residential"}),
        "service": ("roads", {"kind": "minor_road", "kind_detail": "service"}),
        "path": ("roads", {"kind": "path", "kind_detail": "footway"}), "rail": ("roads", {"kind": "rail", "kind_detail": "rail"}),
        "city": ("places", {"kind": "locality", "kind_detail": "city", "population_rank": 12}),
        "suburb": ("places", {"kind": "neighbourhood", "kind_detail": "suburb"}), "bay": ("water", {"kind": "bay"}),
    },
    # Version 3, with numbers of levels as the map of 2024 has them.
    "protomaps3": {
        "sea": ("water", {"pmap:kind": "ocean"}), "river": ("physical_line", {"pmap:kind": "river"}),
        "park": ("landuse", {"pmap:kind": "park"}), "wood": ("natural", {"pmap:kind": "wood"}),
        "built": ("landuse", {"pmap:kind": "residential"}), "beach": ("natural", {"pmap:kind": "beach"}),
        "building": ("buildings", {"pmap:kind": "building"}), "border": ("boundaries", {"pmap:min_admin_level": 2}),
        "motorway": ("roads", {"pmap:kind": "highway"}), "primary": ("roads", {"pmap:kind": "major_road"}),
        "secondary": ("roads", {"pmap:kind": "medium_road"}), "minor": ("roads", {"pmap:kind": "minor_road"}),
        "service": ("roads", {"pmap:kind": "minor_road", "pmap:kind_detail": "service"}),
        "path": ("roads", {"pmap:kind": "path"}), "rail": ("transit", {"pmap:kind": "rail"}),
        "city": ("places", {"pmap:kind": "city", "pmap:population_rank": 12}),
        "suburb": ("places", {"pmap:kind": "neighbourhood"}), "bay": ("physical_point", {"pmap:kind": "bay"}),
    },
    "openmaptiles": {
        "sea": ("water", {"class": "ocean"}), "river": ("waterway", {"class": "river"}), "park": ("park", {"class": "public_park"}),
        "wood": ("landcover", {"class": "wood"}), "built": ("landuse", {"class": "residential"}),
        "beach": ("landcover", {"class": "sand"}), "building": ("building", {}), "border": ("boundary", {"admin_level": 2}),
        "motorway": ("transportation", {"class": "motorway"}), "primary": ("transportation", {"class": "primary"}),
        "secondary": ("transportation", {"class": "secondary"}), "minor": ("transportation", {"class": "minor"}),
        "service": ("transportation", {"class": "service"}), "path": ("transportation", {"class": "path"}),
        "rail": ("transportation", {"class": "rail"}), "city": ("place", {"class": "city", "rank": 3}),
        "suburb": ("place", {"class": "suburb", "rank": 11}), "bay": ("water_name", {"class": "bay"}),
    },
}


def varint(number):
    return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])


def field(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def geometry(kind, lines):
    """The commands of points (1), lines (2) or areas (3)."""
    numbers, at = [], (0, 0)
    for line in lines:
        for index, point in enumerate(line):
            if index < 2:
                numbers.append(1 << 3 | 1 if index == 0 else (len(line) - 1) << 3 | 2)
            numbers += [(step << 1) ^ (step >> 63) for step in (point[0] - at[0], point[1] - at[1])]
            at = point
        if kind == 3:
            numbers.append(1 << 3 | 7)
    return b"".join(map(varint, numbers))


def encoded(layers):
    """A tile of {layer: [(kind, properties, lines)]}."""
    tile = b""
    for name, features in layers.items():
        keys, values, data = {}, {}, field(1, name.encode())
        for kind, properties, lines in features:
            tags = b"".join(varint(table.setdefault(value, len(table))) for key, it in properties.items()
                            for table, value in ((keys, key), (values, it)))
            data += field(2, field(2, tags) + b"\x18" + varint(kind) + field(4, geometry(kind, lines)))
        data += b"".join(field(3, key.encode()) for key in keys)
        data += b"".join(field(4, field(1, it.encode()) if isinstance(it, str) else b"\x28" + varint(it)) for it in values)
        tile += field(3, data + b"\x28" + varint(EXTENT) + b"\x78\x02")
    return tile


def tiles(things, schema, zooms):
    """The tiles of a list of (kind of thing, name, 1 to 3, points), by (zoom, x, y)."""
    found = {}
    for zoom in zooms:
        side = WORLD >> zoom
        for thing, name, kind, points in things:
            layer, properties = SCHEMAS[schema][thing]
            features = [(layer, properties)]
            if name:
                # Only OpenMapTiles names roads in a layer of their own.
                is_apart = layer == "transportation"
                named = ("transportation_name" if is_apart else layer, {**properties, "name": name})
                features = [*features, named] if is_apart else [named]
            if thing in ("building", "service", "minor", "path") and zoom < 12:
                continue
            xs, ys = zip(*points)
            for x in range(int((min(xs) - 8) // side), int((max(xs) + 8) // side) + 1):
                for y in range(int((min(ys) - 8) // side), int((max(ys) + 8) // side) + 1):
                    line = [(round((u - x * side) / side * EXTENT), round((v - y * side) / side * EXTENT)) for u, v in points]
                    for layer, properties in features:
                        found.setdefault((zoom, x, y), {}).setdefault(layer, []).append((kind, properties, [line]))
    return {place: gzip.compress(encoded(layers), 1) for place, layers in found.items()}


def hilbert(zoom, x, y):
    """The number of a tile in PMTiles."""
    number, half = (4 ** zoom - 1) // 3, (1 << zoom) // 2
    while half:
        right, down = bool(x & half), bool(y & half)
        number += half * half * ((3 * right) ^ down)
        if not down:
            if right:
                x, y = half - 1 - x % half, half - 1 - y % half
            x, y = y, x
        x, y, half = x & (half - 1), y & (half - 1), half // 2
    return number


def pmtiles(path, tiles, attribution):
    entries = sorted((hilbert(*place), data) for place, data in tiles.items())
    ids = [number for number, _ in entries]
    steps = [number - before for number, before in zip(ids, [0, *ids])]
    directory = b"".join(map(varint, [
        len(entries), *steps, *([1] * len(entries)), *(len(data) for _, data in entries), 1, *([0] * (len(entries) - 1))]))
    directory, metadata = gzip.compress(directory), gzip.compress(json.dumps({"attribution": attribution}).encode())
    data = b"".join(data for _, data in entries)
    zooms = [zoom for zoom, _, _ in tiles]
    at = 127 + len(directory)
    header = b"PMTiles\x03" + struct.pack(
        "<11Q6B4iB2i", 127, len(directory), at, len(metadata), at + len(metadata), 0, at + len(metadata), len(data),
        len(entries), len(entries), len(entries), 1, 2, 2, 1, min(zooms), max(zooms), -1_800_000_000, -850_000_000,
        1_800_000_000, 850_000_000, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(header + directory + metadata + data)


def mbtiles(path, tiles, attribution, kind="pbf", scheme="tms"):
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE metadata(name TEXT, value TEXT);
        CREATE TABLE tiles(zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);
        CREATE UNIQUE INDEX tile_index ON tiles(zoom_level, tile_column, tile_row);""")
    database.executemany("INSERT INTO metadata VALUES (?, ?)", [
        ("format", kind), ("attribution", attribution), ("scheme", scheme)])
    database.executemany("INSERT INTO tiles VALUES (?, ?, ?, ?)", [
        (zoom, x, y if scheme == "xyz" else (1 << zoom) - 1 - y, data) for (zoom, x, y), data in tiles.items()])
    database.commit()
    database.close()


def box(x, y, width, height):
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def place(latitude, longitude):
    sine = math.sin(math.radians(latitude))
    return (longitude / 360 + 0.5) * WORLD, (0.5 - math.atanh(sine) / (2 * math.pi)) * WORLD


def city(latitude, longitude, radius=1600, paths=1):
    """A city on a coast with its centre at a place, as a list of things: in each 60 × 44 pixels some 12 buildings, two roads, and
    paths."""
    it = random.Random(43)
    x, y = place(latitude, longitude)
    things = [
        ("sea", None, 3, [(x - 40 * radius, y + radius), (x - radius, y + 0.8 * radius), (x - 0.3 * radius, y + 0.45 * radius),
                          (x, y + 0.5 * radius), (x + 0.6 * radius, y + 0.8 * radius), (x + 40 * radius, y + radius),
                          (x + 40 * radius, y + 40 * radius), (x - 40 * radius, y + 40 * radius)]),
        ("built", None, 3, box(x - radius, y - radius, 2 * radius, 1.45 * radius)),
        ("wood", None, 3, [(x + 1.1 * radius * math.cos(a / 5), y - 1.6 * radius + 0.5 * radius * math.sin(a / 5)) for a in range(31)]),
        ("beach", None, 3, [(x - radius, y + 0.8 * radius), (x - 0.3 * radius, y + 0.45 * radius), (x, y + 0.5 * radius),
                            (x, y + 0.46 * radius), (x - 0.3 * radius, y + 0.41 * radius), (x - radius, y + 0.76 * radius)]),
        ("river", "Slow River", 2, [(x + 300 + 120 * math.sin(v / 9), y - 2 * radius + v * radius / 16) for v in range(42)]),
        ("motorway", "Ring Road", 2, [(x + 0.8 * radius * math.cos(a / 9), y - 0.5 * radius + 0.7 * radius * math.sin(a / 9)) for a in range(57)]),
        ("rail", None, 2, [(x - 2 * radius, y - 0.9 * radius), (x - 300, y - 200), (x - 200, y - 180), (x + 2 * radius, y - 300)]),
        ("border", None, 2, [(x - 3 * radius, y - 2.4 * radius), (x + 3 * radius, y - 2.2 * radius)]),
        ("city", "Port Sample", 1, [(x + 20, y - 30)]), ("suburb", "Oldtown", 1, [(x - 300, y - 260)]),
        ("suburb", "Northgate", 1, [(x + 250, y - 600)]), ("bay", "Sample Bay", 1, [(x + 60, y + 0.8 * radius)]),
    ]
    rows, columns = range(int(-radius / 44), int(0.4 * radius / 44)), range(int(-radius / 60), int(radius / 60))
    for row in rows:
        across = "primary" if row % 12 == 0 else "secondary" if row % 6 == 0 else "minor"
        # Streets end at every second crossing, or go on for a mile.
        things += [(across, f"{'Long' if row < 0 else 'Short'} Street {abs(row)}", 2, [
            (x + 60 * first, y + 44 * row), (x + 60 * min(first + step, columns[-1] + 1), y + 44 * row)])
            for step in [2 if row % 3 else 16] for first in columns[::step]]
    for column in columns:
        down = "primary" if column % 14 == 0 else "secondary" if column % 7 == 0 else "minor"
        things += [(down, f"Avenue {column + 30}", 2, [
            (x + 60 * column, y + 44 * first), (x + 60 * column, y + 44 * (first + 2))]) for first in rows[::2]]
        for row in rows:
            left, top = x + 60 * column, y + 44 * row
            if it.random() < 0.03:
                things += [("park", None, 3, box(left + 5, top + 5, 50, 34)), ("path", None, 2, [(left, top), (left + 60, top + 44)])]
                continue
            things += [("service", None, 2, [(left + 30, top), (left + 30, top + 44)])]
            things += [("path", None, 2, [(left, top + 22 + index), (left + 60, top + 22 + index)]) for index in range(paths)]
            things += [
                ("building", None, 3, box(left + 5 + 9 * lot + it.random(), top + 5 + side * 20 + it.random() * 2,
                                          4 + 4 * it.random(), 7 + 4 * it.random())) for lot in range(6) for side in range(2)]
    return things
