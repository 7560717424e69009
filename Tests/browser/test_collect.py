"""The page of `collect` in a browser, with a real broker."""
import json
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from support import By, Daemon, Page, PageTest, eventually, free_port


class Broker:
    """A mosquitto on loopback."""

    def __init__(self):
        self.port = free_port()
        self.file = tempfile.NamedTemporaryFile("w", suffix=".conf")
        self.file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\n")
        self.file.flush()
        self.process = subprocess.Popen(
            ["mosquitto", "-c", self.file.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        eventually(self.listens, "the broker listens")

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def publish(self, device, message, suffix=""):
        subprocess.run(["mosquitto_pub", "-p", str(self.port), "-q", "1", "-t", f"owntracks/{device}{suffix}", "-m",
                        json.dumps(message)], check=True)

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=20)


def fix(latitude, longitude, seconds=0, **members):
    return {"_type": "location", "lat": latitude, "lon": longitude, "tst": int(time.time()) + seconds, "acc": 5, **members}


@unittest.skipUnless(shutil.which("mosquitto"), "there is no mosquitto")
class CollectTest(PageTest):
    def setUp(self):
        super().setUp()
        self.broker = self.keep(Broker())

    def collect(self, *arguments):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        daemon = self.keep(Daemon(
            "collect", "--subscribe", f"mqtt://127.0.0.1:{self.broker.port}", "--journal", f"{folder.name}/fleet.db",
            "--fence", "depot=47.5,8.5,200", *arguments))

        def listens():
            with open(daemon.errors.name) as file:
                return "listening to" in file.read()
        eventually(listens, "it listens")
        return daemon

    def names(self, page):
        return page.run("""
            return [...document.querySelectorAll("#device-rows .device-name")].map((name) => name.textContent)""")

    def test_devices_come_and_move_and_fall_silent(self):
        daemon = self.collect("--stale-after", "4")
        for second in range(3):
            self.broker.publish("ann/car", fix(47.37 + second / 1000, 8.54, second - 3, vel=36, alt=400, batt=80))
        page = self.keep(Page(daemon.url))
        eventually(lambda: self.names(page) == ["ann/car"], "the device is there")
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        eventually(lambda: page.text("device-speed") == "36 km/h", "its speed")
        self.assertEqual(page.text("device-battery"), "80 %")

        self.broker.publish("ann/car", fix(47.38, 8.55, vel=72))
        sent = time.monotonic()
        eventually(lambda: page.text("device-speed") == "72 km/h", "what it says now")
        # The time depends on the machine and is printed for a person.
        print(f"\na device's newest is on the page after {time.monotonic() - sent:.2f} s")

        # In the depot for longer than the dwell.
        for second in (-60, -30, 0):
            self.broker.publish("cat/van", fix(47.5, 8.5, second))
        eventually(lambda: "cat/van" in self.names(page), "the van")
        eventually(lambda: "in depot" in page.text("device-rows"), "the fence around it")
        self.broker.publish("cat/van", {"_type": "transition", "event": "enter", "desc": "home", "wtst": 1, "t": "c",
                                        "lat": 47.5, "lon": 8.5, "acc": 5, "tst": int(time.time())}, "/event")
        eventually(lambda: "in depot, home" in page.text("device-rows"), "its own fence")

        page.click("show-trails")
        eventually(lambda: page.map().get("trails") >= 1, "its trail")
        self.broker.publish("ben/boat", fix(47.4, 8.6))
        self.broker.publish("ben/boat", {"_type": "card", "name": "Ben's boat"}, "/info")
        eventually(lambda: self.names(page) == ["ann/car", "Ben's boat", "cat/van"], "the other, by its name")
        eventually(lambda: page.text("device-state") == "Stale", "it has fallen silent")
        self.broker.publish("ann/car", fix(47.38, 8.56, vel=0))
        eventually(lambda: page.text("device-state") == "Current", "it is back")
        self.assertEqual(page.complaints(), [])

    def test_a_daemon_that_begins_anew_has_the_devices_of_before(self):
        daemon = self.collect()
        self.broker.publish("ann/car", fix(47.37, 8.54))
        eventually(lambda: daemon.records(), "it is kept")
        page = self.keep(Page(daemon.url))
        eventually(lambda: self.names(page) == ["ann/car"], "the device is there")
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        arguments = daemon.process.args[1:-2]
        daemon.end()
        eventually(lambda: page.status() == "no-daemon", "it has gone")
        self.assertTrue(page.is_old(), "what it said last is grey")
        self.keep(Daemon(*arguments, port=daemon.port))
        eventually(lambda: page.status() == "live", "it is back")
        eventually(lambda: self.names(page) == ["ann/car"], "the device of before")
        self.assertEqual(page.text("device-title"), "ann/car", "who was selected stays so")
        self.broker.end()
        eventually(lambda: page.text("status-title") == "Nothing is received", "it says that there is no broker")
        self.assertIn("Since ", page.text("status-detail"))
