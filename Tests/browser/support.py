"""The daemon, gpsd with a receiver and the browser, for the tests of the map page."""
import json
import math
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
BINARY = os.environ["BINARY"]


def eventually(condition, what, seconds=20):
    """Polls until the condition holds, and returns its value."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds} s, at last {value!r}")
        time.sleep(0.02)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def sentence(body):
    checksum = 0
    for character in body.encode():
        checksum ^= character
    return f"${body}*{checksum:02X}\r\n"


def drive_epochs():
    """The shipped drive as one text for each second."""
    epochs = []
    with open(f"{ROOT}/Recordings/drive.nmea") as file:
        for line in file:
            if "RMC," in line:
                epochs.append("")
            epochs[-1] += line
    return epochs


def without_fix(epoch):
    """The same second from a receiver that has lost its fix."""
    fields = epoch.split("\n")[0].split(",")
    clock, date = fields[1], fields[9]
    return sentence(f"GNRMC,{clock},V,,,,,,,{date},,,N,V") + sentence(f"GNGGA,{clock},,,,,0,00,,,M,,M,,")


def epoch_at(latitude, longitude, second):
    """A second of a receiver at a place."""
    def angle(value, letters, digits):
        degrees, minutes = divmod(abs(value) * 60, 60)
        return f"{int(degrees):0{digits}d}{minutes:07.4f},{letters[value < 0]}"
    place = f"{angle(latitude, 'NS', 2)},{angle(longitude, 'EW', 3)}"
    clock = f"12{second // 60:02d}{second % 60:02d}"
    return sentence(f"GNRMC,{clock},A,{place},1.0,,060526,,,A") + sentence(f"GNGGA,{clock},{place},1,09,1,10,M,,M,,")


class Daemon:
    """The real binary with a map page. `records()` returns its output."""

    def __init__(self, *arguments, port=None, stdin=None):
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}/"
        self.output = tempfile.NamedTemporaryFile("w+", suffix=".ndjson")
        self.errors = tempfile.NamedTemporaryFile("w+", suffix=".log")
        self.process = subprocess.Popen(
            [BINARY, *arguments, "--map", f"127.0.0.1:{self.port}"],
            stdin=stdin or subprocess.DEVNULL, stdout=self.output, stderr=self.errors)
        eventually(self.is_serving, "the daemon serves its page")

    def is_serving(self):
        if self.process.poll() is not None:
            with open(self.errors.name) as file:
                raise AssertionError(f"the daemon ended with {self.process.returncode}: {file.read()}")
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def feed(self, *epochs):
        """Writes NMEA to the standard input of `replay -`."""
        self.process.stdin.write("".join(epochs).encode())
        self.process.stdin.flush()

    def records(self):
        with open(self.output.name) as file:
            lines = file.read().split("\n")[:-1]
        return [record for record in map(json.loads, lines) if record["type"] == "location"]

    def state(self):
        with urllib.request.urlopen(self.url + "state.json", timeout=10) as answer:
            return json.load(answer)

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait(timeout=20)
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass


def replay(*arguments, port=None):
    """A daemon that replays its input at once."""
    return Daemon("replay", "-", "--speed", "max", *arguments, port=port, stdin=subprocess.PIPE)


class Line:
    """A connection to a daemon that can be cut, as on a bad network."""

    def __init__(self, daemon):
        self.target = ("127.0.0.1", daemon.port)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        self.is_cut = self.is_silent = False
        self.sockets = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                browser, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                browser.close()
                continue
            server = socket.create_connection(self.target)
            self.sockets += [browser, server]
            for source, sink in ((browser, server), (server, browser)):
                threading.Thread(target=self.copy, args=(source, sink), daemon=True).start()

    def copy(self, source, sink):
        try:
            while data := source.recv(65536):
                if not self.is_silent:
                    sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def silence(self):
        """Keeps connections open but forwards nothing, as if the other host has lost its power."""
        self.is_cut = self.is_silent = True

    def cut(self):
        self.is_cut = True
        for one in self.sockets:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def join(self):
        self.is_cut = self.is_silent = False

    def end(self):
        self.cut()
        self.listener.close()


class GPSD:
    """A real gpsd with a receiver on a TCP connection, which sends the text that `send` returns, every 200 ms."""

    def __init__(self, port, send):
        self.is_ended = threading.Event()
        receiver = socket.create_server(("127.0.0.1", 0))
        self.process = subprocess.Popen(
            ["gpsd", "-N", "-n", "-S", str(port), f"tcp://127.0.0.1:{receiver.getsockname()[1]}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.thread = threading.Thread(target=self.serve, args=(receiver, send), daemon=True)
        self.thread.start()

    def serve(self, receiver, send):
        receiver.settimeout(20)
        with receiver:
            connection, _ = receiver.accept()
        with connection:
            while not self.is_ended.wait(0.2):
                try:
                    connection.sendall(send().encode())
                except OSError:
                    return

    def end(self):
        self.is_ended.set()
        self.process.terminate()
        self.process.wait(timeout=20)
        self.thread.join(timeout=20)


# Drags the map back and forth for three seconds and returns the frame rate.
PAN = """
    const done = arguments[0];
    const map = document.getElementById("map");
    const send = (type, target, x) => target.dispatchEvent(new MouseEvent(type, {
      bubbles: true, cancelable: true, view: window, button: 0, buttons: 1, clientX: x, clientY: 300 }));
    send("mousedown", map, 300);
    let [first, frames] = [undefined, 0];
    const step = (now) => {
      first ??= now;
      if (now - first < 3000) {
        frames += 1;
        send("mousemove", document.body, 300 + 200 * Math.sin((now - first) / 300));
        return requestAnimationFrame(step);
      }
      send("mouseup", document.body, 300);
      done(frames / ((now - first) / 1000));
    };
    requestAnimationFrame(step);"""


class Page:
    """A browser with the page, and a script that runs before the page's own. Its text is so many times as large as usual."""

    def __init__(self, url, width=1280, height=800, dark=False, language="en-IE", script=None, text=1, zone=None,
                 runs_scripts=True):
        self.url = url
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run"):
            options.add_argument(argument)
        options.add_experimental_option("prefs", {
            "intl.accept_languages": language, "webkit.webprefs.default_font_size": 16 * text,
            "profile.managed_default_content_settings.javascript": 1 if runs_scripts else 2})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.look(width, height, dark)
        if zone:
            self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})
        if script:
            self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.driver.get(url)

    def look(self, width, height, dark):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def text(self, name):
        """The text of an element, with plain blanks between numbers and units."""
        return self.run("return document.getElementById(arguments[0]).textContent", name).replace("\u00a0", " ")

    def is_enabled(self, name):
        return self.driver.find_element(By.ID, name).is_enabled()

    def status(self):
        return self.run("return document.body.dataset.status")

    def is_old(self):
        return self.run("return document.body.classList.contains('old')")

    def click(self, name):
        self.driver.find_element(By.ID, name).click()

    def point(self, place):
        """Moves the mouse to a place in pixels of the map."""
        at = self.map()
        ActionChains(self.driver).move_to_element_with_offset(
            self.driver.find_element(By.ID, "map"), round(place[0] - at["width"] / 2),
            round(place[1] - at["height"] / 2)).perform()

    def tap(self, place):
        """Touches a place in pixels of the map for a moment."""
        corner = self.run("const { x, y } = document.getElementById('map').getBoundingClientRect(); return [x, y];")
        at = {"x": place[0] + corner[0], "y": place[1] + corner[1]}
        for kind, points in (("touchStart", [at]), ("touchEnd", [])):
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def hint(self):
        """The text at the pointed place of the trail; None without one."""
        return self.run("return document.querySelector('.trail-hint')?.textContent.replaceAll('\u00a0', ' ')")

    def is_pressed(self, name):
        return self.driver.find_element(By.ID, name).get_attribute("aria-pressed") == "true"

    def map(self):
        """The view of the map: its centre in degrees, its zoom, its number of points, its size in pixels."""
        found = self.run("""
            const map = document.getElementById("map");
            const { width, height } = map.getBoundingClientRect();
            return { ...map.dataset, width, height };""")
        return {key: float(value) for key, value in found.items() if key != "dots"}

    def marker(self):
        """The centre of the mark, in pixels of the map; None without one."""
        return self.run("""
            const mark = document.querySelector(".position");
            if (!mark) return null;
            const [box, map] = [mark, document.getElementById("map")].map((it) => it.getBoundingClientRect());
            return [box.x + box.width / 2 - map.x, box.y + box.height / 2 - map.y];""")

    def has_trail_at(self, places):
        """Whether the trail is drawn at each place in pixels of the map."""
        return self.run("""
            const at = document.getElementById("map").getBoundingClientRect();
            const canvases = [...document.querySelectorAll("canvas.trail")].map((canvas) => {
                const { x, y } = canvas.getBoundingClientRect();
                const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
                return (left, top) =>
                    data[4 * (Math.round(top + at.y - y) * canvas.width + Math.round(left + at.x - x)) + 3] > 0;
            });
            return arguments[0].map(([x, y]) => canvases.some((isDrawn) => isDrawn(x, y)));""", places)

    def pixels(self, place):
        """The expected place of a record on the map, by the projection of web maps."""
        at = self.map()
        size = 256 * 2 ** at["zoom"]

        def project(latitude, longitude):
            sine = math.sin(math.radians(latitude))
            return longitude / 360 * size, -math.atanh(sine) / (2 * math.pi) * size

        (x, y), (middle_x, middle_y) = (project(it["latitude"], it["longitude"]) for it in (place, at))
        return x - middle_x + at["width"] / 2, y - middle_y + at["height"] / 2

    def complaints(self, also=()):
        """The errors in the browser's log, and requests to other hosts except `also`, since the last call."""
        found = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith((self.url, "data:", *also)):
                    found.append(f"request to {url}")
        return found

    def picture(self, path):
        """Writes the next frame as a PNG."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
        self.driver.save_screenshot(path)

    def end(self):
        self.driver.quit()


class PageTest(unittest.TestCase):
    """Ends the processes of a test, in reverse order."""

    def keep(self, thing):
        self.addCleanup(thing.end)
        return thing

    def assert_near(self, found, expected, pixels=1.0):
        distance = math.dist(found, expected)
        self.assertLessEqual(distance, pixels, f"{found} is not within {pixels} px of {expected}")
