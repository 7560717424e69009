"""Tiles for the tests of the map page: a server of them, and a file."""
import http.server
import struct
import threading
import zlib


class Tiles:
    """A tile server that records its requests."""

    def __init__(self):
        self.referrers = set()
        tiles = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                tiles.referrers.add(self.headers["Referer"])
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.end_headers()
                self.wfile.write(PIXEL)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


# A grey pixel as a PNG.
PIXEL = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
         + chunk(b"IDAT", zlib.compress(b"\x00\x80")) + chunk(b"IEND", b""))


def pmtiles(deepest):
    """A PMTiles archive with a grey picture for every tile, up to a zoom level."""
    def varint(number):
        return bytes([number & 127 | 128]) + varint(number >> 7) if number > 127 else bytes([number])

    count = sum(4 ** zoom for zoom in range(deepest + 1))
    # One entry for all tiles from the first: its length, and its offset plus one.
    directory = b"".join(map(varint, [1, 0, count, len(PIXEL), 1]))
    metadata = b"{}"
    start = 127 + len(directory)
    data = start + len(metadata)
    header = b"PMTiles\x03" + struct.pack(
        "<11Q6B4iB2i", 127, len(directory), start, len(metadata), data, 0, data, len(PIXEL), count, 1, 1,
        1, 1, 1, 2, 0, deepest, -1_800_000_000, -850_000_000, 1_800_000_000, 850_000_000, 0, 0, 0)
    return header + directory + metadata + PIXEL
