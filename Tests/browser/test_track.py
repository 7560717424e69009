"""A whole recording on the page."""
import json
import re
import signal
import subprocess
import tempfile

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import BINARY, Daemon, Page, PageTest, ROOT, drive_epochs, eventually, without_fix

DRIVE = f"{ROOT}/Recordings/drive.nmea"


def records(path):
    """The recording's locations, as `replay` prints them."""
    result = subprocess.run([BINARY, "replay", path, "--speed", "max"], capture_output=True, text=True, check=True)
    return [record for record in map(json.loads, result.stdout.splitlines()) if record["type"] == "location"]


class TrackTests(PageTest):
    def open(self, *arguments, **settings):
        self.daemon = self.keep(Daemon("track", *arguments))
        page = self.keep(Page(self.daemon.url, **settings))
        eventually(lambda: page.map().get("trailPoints"), "the page has the way")
        return page

    def figures(self, page):
        return dict(page.run("""
            return [...document.querySelectorAll("#summary > div")].map((it) => [...it.children].map((one) =>
                one.textContent.replaceAll("\u00a0", " ")))"""))

    def places(self, page):
        """The texts of the marks, in the order of the recording."""
        return page.run("return [...document.querySelectorAll('.place')].map((it) => it.textContent)")

    def test_way_places_and_figures(self):
        # The drive stands for half a minute at a time, which counts as a stop here.
        page = self.open(DRIVE, "--stop-after", "20")
        self.assertEqual(page.status(), "track")
        self.assertEqual(page.text("status-title"), "drive.nmea")
        self.assertEqual(page.text("status-detail"), "")

        with open(self.daemon.output.name) as file:
            text = file.read()
        figures = self.figures(page)
        for name in ("Time", "Distance", "Moving time", "Greatest speed", "Ascent", "Trip 1", "Stop 1"):
            self.assertIn(name, figures)
        for name, value in figures.items():
            # The page writes times as the browser does.
            if name != "Time" and name[-1] not in "0123456789":
                self.assertRegex(text, rf"(?m)^  {name} +{re.escape(value)}$")
        # The duration of a stop is shown if there is room.
        stops = [rf"{name.split()[1]}(?: · \d+ s)?" for name in figures if name.startswith("Stop ")]
        self.assertRegex("|".join(self.places(page)), "^" + r"\|".join(["Start", *stops, "End"]) + "$")
        self.assertFalse(page.run("return document.getElementById('live').checkVisibility()"))

        # The whole recording is on the map without a click, and ends at the receiver's last position.
        drive = records(DRIVE)
        places = [page.pixels(record) for record in drive]
        at = page.map()
        for x, y in places:
            self.assertTrue(0 < x < at["width"] and 0 < y < at["height"], (x, y))
        eventually(lambda: all(page.has_trail_at(places)), "the way goes through every record")
        end = page.run("""
            const [mark, map] = [document.querySelector(".place.end"), document.getElementById("map")]
                .map((it) => it.getBoundingClientRect());
            return [mark.x - map.x, mark.y - map.y];""")
        self.assert_near(end, page.pixels(drive[-1]), 1.5)
        self.assertEqual(page.complaints(), [])

        # After the end the page shows that, and keeps the trail.
        self.daemon.end(signal.SIGINT)
        self.assertEqual(self.daemon.process.returncode, 0)
        eventually(lambda: page.status() == "no-daemon", "the page says that the daemon does not answer")
        self.assertTrue(page.has_trail_at(places[:1])[0])

    def test_a_page_that_is_open_while_it_is_read(self):
        # Standard input, which ends only when the test has seen the page.
        daemon = self.keep(Daemon("track", "-", stdin=subprocess.PIPE))
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.text("status-detail") == "Reading standard input.", "it says that it is being read")
        epochs = drive_epochs()
        daemon.feed(*(without_fix(epoch) if 150 <= second < 170 else epoch for second, epoch in enumerate(epochs)))
        daemon.process.stdin.close()
        eventually(lambda: page.map().get("trailPoints"), "the page has the way")
        self.assertEqual(page.text("status-detail"), "")
        self.assertIn("gap", self.figures(page)["Fixes"])
        self.assertGreater(page.map()["zoom"], 10)
        self.assertEqual(page.complaints(), [])

    def test_a_way_across_180_degrees_is_whole(self):
        with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
            places = [(-16 + step / 100, 179.8 + step / 20) for step in range(9)]
            points = "".join(
                f'<trkpt lat="{latitude}" lon="{longitude - 360 * (longitude > 180)}">'
                f'<time>2026-05-01T{10 + step}:00:00Z</time></trkpt>'
                for step, (latitude, longitude) in enumerate(places))
            file.write(f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>')
            file.flush()
            page = self.open(file.name)
            at = page.map()
            self.assertGreater(at["zoom"], 6)
            for mark, (latitude, longitude) in ((".place.start", places[0]), (".place.end", places[-1])):
                found = page.run("""
                    const [mark, map] = [document.querySelector(arguments[0]), document.getElementById("map")]
                        .map((it) => it.getBoundingClientRect());
                    return [mark.x - map.x, mark.y - map.y];""", mark)
                self.assert_near(found, page.pixels({"latitude": latitude, "longitude": longitude}), 1.5)
                self.assertTrue(0 < found[0] < at["width"] and 0 < found[1] < at["height"], found)

    def test_pointing_between_two_points_that_are_far_apart(self):
        # Ten minutes from one to the next.
        with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
            points = "".join(
                f'<trkpt lat="50" lon="{8 + step / 10}"><ele>{100 * step + 7}</ele>'
                f'<time>2026-05-01T10:{10 * step:02}:00Z</time></trkpt>' for step in range(3))
            file.write(f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>')
            file.flush()
            page = self.open(file.name, zone="UTC")
            # The time is interpolated, and the other values are those of the nearer point.
            page.point(page.pixels({"latitude": 50, "longitude": 8.08}))
            hint = eventually(page.hint, "a hint between two points")
            self.assertRegex(hint, r"\b10:0[78]:\d\d\b")
            self.assertRegex(hint, r" 107 m$")
            page.point(page.pixels({"latitude": 50, "longitude": 8.2}))
            eventually(lambda: "10:20:00" in (page.hint() or ""), "the last point itself")
            self.assertEqual(page.complaints(), [])

    def test_several_days_are_there_from_the_first_on(self):
        # More than the day that a live trail covers.
        with tempfile.NamedTemporaryFile("w", suffix=".gpx") as file:
            points = "".join(
                f'<trkpt lat="{50 + 0.01 * hour}" lon="8"><time>2026-05-{1 + hour // 24:02}T{hour % 24:02}:00:00Z</time></trkpt>'
                for hour in range(96))
            file.write(f'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>{points}</trkseg></trk></gpx>')
            file.flush()
            page = self.open(file.name)
            self.assertEqual(page.map()["trailPoints"], 96)

    def write_gpx(self, *pieces):
        """A GPX file of points (latitude, longitude, seconds of the day or None), one part after the other."""
        file = self.enterContext(tempfile.NamedTemporaryFile("w", suffix=".gpx"))
        file.write('<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk>')
        for piece in pieces:
            file.write("<trkseg>")
            for latitude, longitude, second in piece:
                time = "" if second is None else "<time>2026-05-01T%02d:%02d:%02dZ</time>" % (
                    second // 3600, second // 60 % 60, second % 60)
                file.write(f'<trkpt lat="{latitude}" lon="{longitude}">{time}</trkpt>')
            file.write("</trkseg>")
        file.write("</trk></gpx>")
        file.flush()
        return file.name

    def test_speeds_of_a_file_without_speeds_are_those_of_its_figures(self):
        # A minute from one to the next, at 20 m/s; the points contain no speed.
        step = 1200 / 111_195
        page = self.open(self.write_gpx([(50 + step * minute, 8, 60 * minute) for minute in range(10)]))
        self.assertEqual(self.figures(page)["Greatest speed"], "72.0 km/h")
        self.assertRegex(page.text("chart-key"), r"^Speed to 72 km/h")
        self.assertEqual(page.text("legend"), "080 km/h")
        speeds = [point[2] for point in self.daemon.state()["trail"]]
        self.assertIsNone(speeds[0], "there is no way to the first one")
        for speed in speeds[1:]:
            self.assertAlmostEqual(speed, 20, delta=0.1)
        page.point(page.pixels({"latitude": 50 + 4 * step, "longitude": 8}))
        self.assertRegex(eventually(page.hint, "a hint at a point"), r" · 72 km/h$")

    def test_the_legend_says_what_is_grey_and_nothing_else(self):
        walk = [(50 + minute / 10_000, 8, 60 * minute) for minute in range(10)]
        untimed = [(51 + minute / 10_000, 8, None) for minute in range(3)]
        page = self.open(self.write_gpx(untimed))
        self.assertEqual(page.text("legend"), "No speed")
        page = self.open(self.write_gpx(walk, untimed))
        # Speeds below a kilometre per hour have colours as well.
        self.assertEqual(page.text("legend"), "01 km/hNo speed")
        self.assertIn("grey where the speed is unknown", page.run("return document.getElementById('legend').getAttribute('aria-label')"))
        page = self.open(self.write_gpx([(50, 8, 0)]))
        self.assertFalse(page.run("return document.getElementById('legend').checkVisibility()"))

    def test_all_times_are_in_the_zone_of_the_figures_which_is_named(self):
        for arguments, first, zone in (((), "23:54:00", "UTC"), (("--time-zone", "Asia/Tokyo"), "08:54:00", "JST")):
            page = self.open(DRIVE, *arguments, zone="Europe/Berlin")
            # With or without AM and PM, depending on the browser.
            clock = {"23:54:00": "(11|23):54:00(.PM)?", "08:54:00": "0?8:54:00(.AM)?"}[first]
            self.assertRegex(self.figures(page)["Time"], rf"^May \d, 2026, {clock} to .*:05:59.*{zone}$")
            page.driver.find_element(By.ID, "chart").send_keys(Keys.HOME)
            self.assertRegex(page.text("chart-readout"), rf" {clock} {zone} · ")
            start = self.daemon.state()["trail"][0]
            page.point(page.pixels({"latitude": start[0], "longitude": start[1]}))
            self.assertRegex(eventually(page.hint, "a hint at the start"), rf" {clock} {zone} · ")

    def boxes(self, page, selector):
        """The visible elements of a kind, as [text, left, top, right, bottom]."""
        return page.run("""
            return [...document.querySelectorAll(arguments[0])].filter((it) => it.checkVisibility()).map((it) => {
                const { left, top, right, bottom } = it.getBoundingClientRect();
                return [it.textContent, left, top, right, bottom];
            });""", selector)

    def overlaps(self, boxes):
        return [(one[0], other[0]) for index, one in enumerate(boxes) for other in boxes[:index]
                if one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]]

    def test_labels_of_stops_leave_the_way_and_each_other_alone(self):
        # Forty legs of 40 s, and as many stops of six minutes, one of them a little longer.
        points, latitude, second = [], 50, 0
        for leg in range(40):
            for _ in range(4):
                latitude += 0.002
                second += 10
                points.append((latitude, 8 + 0.01 * (leg % 5), second))
            for _ in range(37 + (leg == 20)):
                second += 10
                points.append((latitude, 8 + 0.01 * (leg % 5), second))
        page = self.open(self.write_gpx(points))
        stops = [place for place in self.daemon.state()["places"] if place["kind"] == "stop"]
        self.assertGreater(len(stops), 30)
        longest = max(stops, key=lambda stop: stop["duration"])
        for width, height in ((1280, 800), (390, 844), (320, 640)):
            page.look(width, height, False)
            page.click("whole-trail")
            # The chart is drawn again after a new layout.
            eventually(lambda: self.boxes(page, ".place-label") and not self.overlaps(
                self.boxes(page, ".place-label") + self.boxes(page, ".legend, .leaflet-control-scale, .tools button")),
                "no label lies on another")
            labels = [label[0] for label in self.boxes(page, ".place-label")]
            self.assertLess(len(labels), 20)
            self.assertIn("Start", labels)
            # On the smallest map the controls leave no room for it.
            if width > 320:
                self.assertTrue(any(label.split(" ")[0] == longest["name"] for label in labels), labels)
            self.assertEqual(self.overlaps(self.boxes(page, ".chart-stop-name")), [])
        self.assertEqual(page.complaints(), [])

    def test_a_start_at_a_stop_is_seen_whole_and_both_say_the_same_time(self):
        rest = [(50, 8, second) for second in range(0, 1813, 12)]
        page = self.open(self.write_gpx(rest + [(50 + step / 1000, 8, 1812 + 12 * step) for step in range(1, 60)]))
        self.assertIn("30 min", self.figures(page)["Stop 1"])
        stop = next(label for label in self.boxes(page, ".place-label") if label[0].startswith("1"))
        self.assertEqual(self.figures(page)["Stop 1"].split(", ")[-1], stop[0].split(" · ")[1])
        self.assertRegex(stop[0], r"^1 · 30 min \d\d s$")
        self.assertEqual(self.overlaps(self.boxes(page, ".place-label")), [])
        # The mark of a stop moves the map there.
        zoom = page.map()["zoom"]
        page.click("whole-trail")
        page.driver.find_element(By.CSS_SELECTOR, ".place.stop .place-label").click()
        eventually(lambda: page.map()["zoom"] > zoom, "the map goes nearer")

    def test_no_date_is_broken(self):
        page = self.open(self.write_gpx([(50 + step / 1000, 8, 60 * step) for step in range(5)]), width=320, height=640, text=2)
        dates = page.run("""
            return [...document.querySelectorAll("#summary .part")].filter((it) => it.textContent.includes("2026")).map((it) => {
                const range = document.createRange();
                range.setStart(it.firstChild, 0);
                range.setEnd(it.firstChild, it.textContent.indexOf("2026") + 4);
                return range.getClientRects().length;
            });""")
        self.assertGreater(len(dates), 0)
        self.assertEqual(set(dates), {1})
