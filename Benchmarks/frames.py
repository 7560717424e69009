#!/usr/bin/python3
"""The weight of the map page, and its frame rate with a trail of 100,000 points.

    Benchmarks/frames.py [POINTS]

The weight is that of the page's own files and Leaflet, each compressed by gzip -9. The frames are those of a headless
Chromium while the mouse drags the map with the whole trail in view: the time between two frames, and the drawing time of one.
The page gets its state from this script, because a daemon thins a trail. It needs chromium, chromium-driver, python3-selenium
and libjs-leaflet.
"""
import gzip
import http.server
import json
import math
import os
import statistics
import sys
import threading

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ASSETS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "../Sources/Serving/MapPage/Assets")
LEAFLET = "/usr/share/javascript/leaflet"
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def files():
    own = {name: os.path.join(ASSETS, name) for name in sorted(os.listdir(ASSETS))}
    leaflet = {"leaflet/leaflet.js": f"{LEAFLET}/leaflet.min.js", "leaflet/leaflet.css": f"{LEAFLET}/leaflet.css"}
    return own, leaflet


def weigh(paths):
    return sum(len(gzip.compress(open(path, "rb").read(), 9)) for path in paths.values())


def state(points):
    """A winding drive with a break after every five thousand points."""
    trail = []
    for index in range(points):
        if index % 5000 == 4999:
            trail.append(None)
        t = index / 40
        trail.append([47 + 0.02 * math.sin(t / 57) + 0.004 * math.sin(t), 8 + 0.03 * math.sin(t / 71) + 0.004 * math.cos(t),
                      abs(30 * math.sin(t / 9)), index])
    latitude, longitude, speed, _ = trail[-1]
    return {"version": "0", "staleAfter": 1e6, "source": {"name": "benchmark", "kind": "gpsd", "status": "connected"},
            "fix": "current", "age": 0, "satellites": [], "fences": [], "trail": trail, "leaflet": True,
            "location": {"latitude": latitude, "longitude": longitude, "speed": speed, "mode": 3}}


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path == "/events":
            body, kind = b"event: state\ndata: " + self.server.state + b"\n\n", "text/event-stream"
        else:
            path = self.server.files["index.html" if self.path == "/" else self.path[1:]]
            body, kind = open(path, "rb").read(), TYPES[os.path.splitext(path)[1]]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if self.path == "/events":
            self.server.is_over.wait(600)


MEASURE = """
window.frames = [];
let last = performance.now();
window.goesOn = true;
(function frame() {
  const now = performance.now();
  window.frames.push(now - last);
  last = now;
  if (window.goesOn) requestAnimationFrame(frame);
})();
"""


def main():
    points = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    own, leaflet = files()
    print(f"weight, gzipped: page {weigh(own) / 1000:.1f} kB, Leaflet {weigh(leaflet) / 1000:.1f} kB, "
          f"together {(weigh(own) + weigh(leaflet)) / 1000:.1f} kB (limit 250 kB)")

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.files, server.state, server.is_over = own | leaflet, json.dumps(state(points)).encode(), threading.Event()
    threading.Thread(target=server.serve_forever, daemon=True).start()

    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,800"):
        options.add_argument(argument)
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    try:
        driver.get(f"http://127.0.0.1:{server.server_address[1]}/")
        WebDriverWait(driver, 30).until(lambda it: it.execute_script(
            "return Number(document.getElementById('map').dataset.trailPoints)") == points)
        for name, button in (("all of the trail in sight", "whole-trail"), ("near, most of it out of sight", "follow")):
            driver.execute_script("document.getElementById(arguments[0]).click()", button)
            frames = measure(driver)
            print(f"{name}: a frame takes {statistics.median(frames):.1f} ms at the median, "
                  f"{sorted(frames)[len(frames) * 95 // 100]:.1f} ms at 95 %, {max(frames):.1f} ms at most ({len(frames)} frames)")
    finally:
        driver.quit()
        server.is_over.set()


def measure(driver):
    """The times between frames, in milliseconds, while the mouse drags the map back and forth for some seconds."""
    def mouse(kind, x, y):
        driver.execute_cdp_cmd("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 0 if kind == "mouseReleased" else 1, "clickCount": 1})

    mouse("mousePressed", 400, 400)
    mouse("mouseMoved", 410, 400)
    driver.execute_script(MEASURE)
    for step in range(240):
        mouse("mouseMoved", 400 + 300 * math.sin(step / 25), 400 + 300 * math.cos(step / 25))
    frames = driver.execute_script("window.goesOn = false; return window.frames")
    mouse("mouseReleased", 400, 400)
    return frames[5:]


if __name__ == "__main__":
    main()
