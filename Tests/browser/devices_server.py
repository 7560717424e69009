"""A stand-in for the daemon of a page: its files, and a stream of made-up devices or of a made-up receiver."""
import http.server
import json
import math
import os
import re
import threading
import time
import urllib.parse

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
ASSETS = f"{ROOT}/Sources/Serving/MapPage/Assets"
LEAFLET = "/usr/share/javascript/leaflet"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'")
TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "png": "image/png"}
# A day without a fix.
HISTORY = {"/quarters.json": b"[1975000]", "/history.json": b'{"trail": []}'}


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".000Z"


def entry(number, count):
    """A device somewhere around Zürich; every seventh is stale, every hundredth has no location."""
    turn = number * 2.399963
    far = 0.8 * math.sqrt(number / max(count, 1)) + 0.001
    place = [47.37 + far * math.sin(turn), 8.54 + 1.4 * far * math.cos(turn)]
    state = 0 if number % 100 == 99 else 2 if number % 7 == 6 else 1
    now = time.time()
    if state == 0:
        return [f"user{number}/phone", None, 0] + [None] * 7
    age = 4000 + number if state == 2 else number % 8
    return [f"user{number}/phone", f"Car {number}" if number % 3 == 0 else None, state, *place, now - age,
            None if number % 5 == 0 else number % 40, 400 + number % 90, 5 + number % 20, number * 37 % 360]


def translated(page, language):
    """The page in a language, as the daemon fills it in."""
    with open(f"{ASSETS}/words.json") as file:
        words = json.load(file)[language]
    words.update(language=language, words=json.dumps(words))
    return re.sub(r"{{(\w+)}}", lambda place: words[place[1]], page.decode()).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind, status=200, encoding=None):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        if encoding:
            self.send_header("Content-Encoding", encoding)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        if path == "/events":
            return self.stream()
        if path == "/trail.json":
            asked = urllib.parse.parse_qs(query)
            self.server.asked.append(asked)
            id = asked["device"][0]
            _, _, _, latitude, longitude, at, *_ = self.server.devices[id]
            points = [[latitude - 0.0002 * step, longitude + 0.0003 * math.sin(step), 5, at - step, 400]
                      for step in reversed(range(60))]
            return self.answer(json.dumps(points).encode(), "application/json")
        if path == "/world.bin":
            with open(f"{ASSETS}/world.bin", "rb") as world:
                return self.answer(world.read(), "application/octet-stream", encoding="gzip")
        if path in HISTORY:
            return self.answer(HISTORY[path], "application/json")
        name = self.server.page if path == "/" else path[1:]
        file = f"{ASSETS}/{name}"
        if name.startswith("leaflet/"):
            file = f"{LEAFLET}/{name[8:].replace('leaflet.js', 'leaflet.min.js')}"
        if ".." in name or not os.path.isfile(file):
            return self.answer(b"", "text/plain", 404)
        with open(file, "rb") as content:
            body = content.read()
        language = self.headers["Accept-Language"][:2]
        self.answer(translated(body, language) if path == "/" else body, TYPES[file.rsplit(".")[-1]])

    def stream(self):
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        server = self.server
        with server.changed:
            told = len(server.events)
            whole = {**server.settings, "now": stamp(time.time()), "devices": list(server.devices.values())}
        try:
            self.tell("state", whole)
            while True:
                with server.changed:
                    server.changed.wait_for(lambda: len(server.events) > told)
                    event, told = server.events[told], told + 1
                if event is None:
                    return
                self.tell(*event)
        except OSError:
            pass

    def tell(self, name, value):
        self.wfile.write(f"event: {name}\ndata: {json.dumps(value)}\n\n".encode())


class DevicesServer(http.server.ThreadingHTTPServer):
    """Serves until it is closed. `show` sends an event of the daemon."""

    daemon_threads = True

    def __init__(self, entries, page="devices.html", **settings):
        super().__init__(("127.0.0.1", 0), Handler)
        self.page = page
        self.devices = {one[0]: one for one in entries}
        self.settings = {"version": "1", "fences": [], "leaflet": True, "history": True, **settings}
        self.events = []
        # The queries of trails.
        self.asked = []
        self.changed = threading.Condition()
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def show(self, *entries):
        with self.changed:
            self.devices.update((one[0], one) for one in entries)
            self.events.append(("devices", list(entries)))
            self.changed.notify_all()

    def say(self, status):
        with self.changed:
            self.events.append(("status", status))
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.events.append(None)
            self.changed.notify_all()
        self.shutdown()
        self.server_close()
