"""Earlier periods on the page: a day from the journal, its chart, and the return to live data."""
import os
import re
import subprocess
import tempfile
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from support import BINARY, Daemon, Page, PageTest, ROOT, epoch_at, eventually, sentence


# How the browser writes the day of the drive.
DAY = 'return new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(new Date(2026, 4, 6))'


class HistoryTests(PageTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.journal = os.path.join(self.folder.name, "journal.db")

    def keep_drive(self):
        """The shipped drive in the journal."""
        subprocess.run(
            [BINARY, "replay", f"{ROOT}/Recordings/drive.nmea", "--speed", "max", "--format", "none", "--journal", self.journal],
            stderr=subprocess.DEVNULL, check=True)

    def open(self, **settings):
        """A daemon that continues the journal, a thousand miles away and two days later."""
        self.daemon = self.keep(Daemon("replay", "-", "--speed", "max", "--journal", self.journal, stdin=subprocess.PIPE))
        self.daemon.feed(*(epoch_at(50, 8 + second / 1000, second).replace("060526", "080526") for second in range(5)))
        page = self.keep(Page(self.daemon.url, **settings))
        eventually(lambda: page.run("return !document.getElementById('past').hidden"), "the page offers to look back")
        return page

    def fill(self, page, name, value):
        page.run("""
            const field = document.getElementById(arguments[0]);
            field.value = arguments[1];
            field.dispatchEvent(new Event("change", { bubbles: true }));""", name, value)

    def look_at(self, page, day):
        # In one step, because the page shows the newest day by itself unless a day was chosen before it knew the days.
        page.run("""
            document.getElementById("past").open = true;
            const field = document.getElementById("past-day");
            field.value = arguments[0];
            field.dispatchEvent(new Event("change", { bubbles: true }));""", day)

    def figures(self, page):
        return dict(page.run("""
            return [...document.querySelectorAll("#summary > div")].map((it) => [...it.children].map((one) =>
                one.textContent.replaceAll("\u00a0", " ")))"""))

    def is_visible(self, page, name):
        return page.run("return document.getElementById(arguments[0]).checkVisibility()", name)

    def test_a_day_and_back(self):
        self.keep_drive()
        page = self.open(script="Date.prototype.getTimezoneOffset = () => 0", language="en-GB")
        self.assertFalse(self.is_visible(page, "chart"))
        eventually(lambda: page.map().get("trailPoints"), "the live trail is drawn")
        self.look_at(page, "2026-05-06")
        eventually(lambda: self.figures(page).get("Trip 1"), "the figures of the day")
        # As the page writes all times.
        self.assertRegex(self.figures(page)["Time"], r"^May 6, 2026, 11:54:00.PM to 11:59:59.PM UTC")
        self.assertRegex(self.figures(page)["Distance"], r" mi$")
        self.assertRegex(page.text("chart-key"), r"^Speed to \d+ mphAltitude .*\d ft to .*\d ft$")
        self.assertEqual(page.status(), "track")
        self.assertFalse(self.is_visible(page, "live"))
        eventually(lambda: page.map()["longitude"] < -122, "the map is where the drive was")
        self.assertTrue(self.is_visible(page, "chart"))
        at = page.map()
        for mark in (".place.start", ".place.end"):
            x, y = page.run("""
                const [mark, map] = [document.querySelector(arguments[0]), document.getElementById("map")]
                    .map((it) => it.getBoundingClientRect());
                return [mark.x - map.x, mark.y - map.y];""", mark)
            self.assertTrue(0 < x < at["width"] and 0 < y < at["height"], f"{mark} is beyond the edge")

        # Live data are not on the map of that day.
        self.assertIsNone(page.marker())
        self.assertFalse(self.is_visible(page, "follow"))
        self.assertFalse(self.is_visible(page, "show-region"))
        # New locations are not drawn into the past.
        points = page.map()["trailPoints"]
        self.daemon.feed(epoch_at(50, 9, 10).replace("060526", "080526"))
        eventually(lambda: self.daemon.state()["location"]["longitude"] == 9, "the daemon has gone on")
        page.click("past-live")
        eventually(lambda: self.is_visible(page, "live"), "what is live")
        eventually(lambda: abs(page.map()["longitude"] - 9) < 0.001, "the map is where the receiver is")
        self.assertGreater(points, page.map()["trailPoints"])
        eventually(page.marker, "the mark of the position")
        self.assertTrue(self.is_visible(page, "follow"))
        self.assertFalse(self.is_visible(page, "chart"))
        self.assertEqual(page.complaints(), [])

    def test_a_day_on_which_summer_time_ends(self):
        # From 2 a.m. of summer time to noon of winter time.
        with tempfile.NamedTemporaryFile("w", suffix=".nmea") as file:
            for step in range(61):
                clock = f"{step // 6:02d}{10 * (step % 6):02d}00"
                place = f"50{step / 10:07.4f},N,00800.0000,E"
                file.write(sentence(f"GNRMC,{clock},A,{place},1.0,,251026,,,A")
                           + sentence(f"GNGGA,{clock},{place},1,09,1,10,M,,M,,"))
            file.flush()
            subprocess.run(
                [BINARY, "replay", file.name, "--speed", "max", "--format", "none", "--journal", self.journal],
                stderr=subprocess.DEVNULL, check=True)
        page = self.open(zone="Europe/Berlin", language="en-GB")
        self.look_at(page, "2026-10-25")
        eventually(lambda: self.figures(page).get("Time"), "the figures of the day")
        self.assertRegex(
            self.figures(page)["Time"], r"^Oct 25, 2026, 2:00:00.AM UTC\+02:00 to 11:00:00.AM UTC\+01:00$")
        chart = page.driver.find_element(By.ID, "chart")
        chart.send_keys("\ue011")  # Home
        self.assertRegex(page.text("chart-readout"), r"\b0?2:00:00( AM)? UTC\+02:00 · ")
        chart.send_keys("\ue010")  # End
        self.assertRegex(page.text("chart-readout"), r"\b11:00:00( AM)? UTC\+01:00 · ")

    def test_the_day_and_the_period_agree(self):
        self.keep_drive()
        page = self.open()
        value = lambda name: page.run("return document.getElementById(arguments[0]).value", name)
        self.look_at(page, "2026-05-06")
        self.assertEqual([value("past-since"), value("past-until")], ["2026-05-06T00:00", "2026-05-07T00:00"])
        self.fill(page, "past-until", "2026-05-08T00:00")
        self.assertEqual(value("past-day"), "")
        self.fill(page, "past-since", "2026-05-07T00:00")
        self.assertEqual(value("past-day"), "2026-05-07")
        for name in ("past-since", "past-day"):
            self.fill(page, name, "")
        page.run("document.getElementById('past-form').requestSubmit()")
        self.assertEqual(page.text("past-message"), "Choose a day, or both ends of a period.")

    def test_pointing_at_the_chart_leaves_it_as_high_as_it_is(self):
        self.keep_drive()
        for width, text in ((320, 1), (320, 2), (390, 1), (768, 2), (1280, 1)):
            page = self.open(width=width, text=text, language="en-US")
            self.look_at(page, "2026-05-06")
            eventually(lambda: self.is_visible(page, "chart"), "the chart")
            height = "return document.querySelector('#chart svg').clientHeight"
            before = eventually(lambda: page.run(height), "its height")
            page.driver.find_element(By.ID, "chart").send_keys("\ue010")
            self.assertNotEqual(page.text("chart-readout"), "")
            self.assertEqual(page.run(height), before, f"{width} px, text {text}")
            # Its text does not cover the buttons either.
            over = page.run("""
                const [chart, button] = [document.getElementById("chart"), document.getElementById("whole-trail")]
                    .map((it) => it.getBoundingClientRect());
                return button.bottom - chart.top;""")
            self.assertLessEqual(over, 0, f"{width} px, text {text}")
            page.driver.quit()
            self.daemon.end()

    def test_it_opens_on_the_newest_day_with_data_and_finds_the_others(self):
        self.keep_drive()
        page = self.open(script="Date.prototype.getTimezoneOffset = () => 0", language="en-GB")
        # As if the receiver's day had no data.
        page.run("document.getElementById('past-day').value = '2026-06-01'; document.getElementById('past').open = true")
        days = lambda: page.run("""
            return [...document.querySelectorAll("#past-calendar .calendar-days button:enabled")].map((it) => it.textContent)""")
        value = lambda name: page.run("return document.getElementById(arguments[0]).value", name)
        eventually(lambda: value("past-day") == "2026-05-07", "the newest day, a little after midnight")
        eventually(lambda: self.is_visible(page, "past-live"), "it is on the map")
        self.assertEqual(days(), ["6", "7"])
        page.click("past-before")
        eventually(lambda: page.text("status-title") == page.run(DAY), "the day before")
        self.assertEqual(value("past-day"), "2026-05-06")
        self.assertFalse(page.driver.find_element(By.ID, "past-before").is_enabled())
        page.run("document.querySelectorAll('#past-calendar .calendar-days button:enabled')[1].click()")
        eventually(lambda: value("past-since") == "2026-05-07T00:00" and page.text("past-message") == "", "the chosen day")
        # A period that is a day has the title of one.
        self.fill(page, "past-since", "2026-05-06T00:00")
        self.fill(page, "past-until", "2026-05-07T00:00")
        page.run("document.getElementById('past-form').requestSubmit()")
        eventually(lambda: page.text("status-title") == page.run(DAY), "a day")
        link = page.run("const { href, download } = document.getElementById('past-gpx'); return [href, download]")
        self.assertEqual(link[1], "2026-05-06.gpx")
        with urllib.request.urlopen(link[0]) as answer:
            self.assertGreater(answer.read().count(b"<trkpt"), 300)
        page.run("document.querySelector('#past [data-hours]').click()")
        eventually(lambda: page.text("past-message") == "Last 12 h: the journal has no fix.", "the last hours")
        self.assertEqual(page.complaints(), [])

    def test_the_chart_has_axes(self):
        self.keep_drive()
        page = self.open(script="Date.prototype.getTimezoneOffset = () => 0", language="en-GB")
        self.look_at(page, "2026-05-06")
        eventually(lambda: self.is_visible(page, "chart"), "the chart")
        labels = page.run("return [...document.querySelectorAll('.chart-label')].map((it) => it.textContent)")
        self.assertIn("20", labels)
        self.assertTrue(any(re.match("(23|11):56", label) for label in labels), labels)
        self.assertTrue({"km/h", "m"} & set(labels) or {"mph", "ft"} <= set(labels), labels)
        # Within the chart, and none on the curves.
        boxes, curve = page.run("""
            const edges = (it) => {
                const { left, top, right, bottom } = it.getBoundingClientRect();
                return [left, top, right, bottom];
            };
            const around = edges(document.querySelector("#chart"));
            const boxes = [...document.querySelectorAll(".chart-label")].map(edges);
            return [boxes.map(([left, top, right, bottom]) => [left - around[0], top - around[1], around[2] - right, around[3] - bottom]
                .concat([left, top, right])), edges(document.querySelector(".chart-speed"))];""")
        self.assertGreaterEqual(min(min(box[:4]) for box in boxes), 0, boxes)
        for *_, left, top, right in boxes:
            self.assertTrue(right <= curve[0] or left >= curve[2] or top >= curve[3] - 1, (left, top, right, curve))

    def test_what_the_chart_says(self):
        self.keep_drive()
        page = self.open(script="Date.prototype.getTimezoneOffset = () => 0")
        self.look_at(page, "2026-05-06")
        eventually(lambda: self.is_visible(page, "chart"), "the chart")
        self.assertRegex(page.text("chart-key"), r"^Speed to \d+ km/hAltitude .*\d m to .*\d m$")
        chart = page.driver.find_element(By.ID, "chart")
        chart.send_keys("\ue010")  # End
        said = chart.get_attribute("aria-valuetext").replace("\u00a0", " ")
        self.assertRegex(said, r"(11|23):59:5\d.* · [\d.]+ km/h · .*\d m$")
        self.assertEqual(page.text("chart-readout"), said)
        marks = "return document.querySelectorAll('path.chart-point').length"
        self.assertEqual(page.run(marks), 1)
        chart.send_keys("\ue011")  # Home
        self.assertRegex(chart.get_attribute("aria-valuetext"), r"(11|23):54:00")
        page.click("past-live")
        eventually(lambda: page.run(marks) == 0, "no mark without a chart")

    def test_times_that_hold_nothing_or_are_none(self):
        self.keep_drive()
        page = self.open()
        self.look_at(page, "2020-01-01")
        eventually(lambda: page.text("past-message").endswith("2020: the journal has no fix."), "it says so")
        self.assertTrue(self.is_visible(page, "live"))
        self.fill(page, "past-since", "2026-05-07T00:00")
        self.fill(page, "past-until", "2026-05-06T00:00")
        page.run("document.getElementById('past-form').requestSubmit()")
        self.assertEqual(page.text("past-message"), "The end must be later than the beginning.")
        self.fill(page, "past-since", "2026-05-05T00:00")
        self.fill(page, "past-until", "2026-05-08T00:00")
        page.run("document.getElementById('past-form').requestSubmit()")
        eventually(lambda: "Trip 1" in self.figures(page), "all of the drive")

    def test_a_stop_takes_the_map_there(self):
        daemon = self.keep(Daemon("track", f"{ROOT}/Recordings/drive.nmea", "--stop-after", "20"))
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.map().get("trailPoints"), "the page has the way")
        self.assertTrue(self.is_visible(page, "chart"))
        zoom = page.map()["zoom"]
        stop = next(place for place in daemon.state()["places"] if place["kind"] == "stop")
        page.run("[...document.querySelectorAll('#summary button')].find((it) => it.textContent === 'Stop 1').click()")
        eventually(lambda: page.map()["zoom"] > zoom, "the map goes nearer")
        x, y = page.pixels(stop)
        at = page.map()
        self.assert_near((x, y), (at["width"] / 2, at["height"] / 2), 2)

        # On the chart each stop has a band, which moves the map there as well.
        page.click("whole-trail")
        eventually(lambda: page.map()["zoom"] == zoom, "the whole way")
        stops = [place for place in daemon.state()["places"] if place["kind"] == "stop"]
        bands = page.driver.find_elements(By.CLASS_NAME, "chart-stop")
        self.assertEqual(len(bands), len(stops))
        names = page.run("return [...document.querySelectorAll('.chart-stop-name')].map((it) => it.textContent)")
        self.assertEqual(names, [stop["name"] for stop in stops])
        ActionChains(page.driver).move_to_element(bands[1]).perform()
        self.assertTrue(page.text("chart-readout").startswith(f"Stop 2 · {stops[1]['duration']:.0f} s · "))
        ActionChains(page.driver).click(bands[1]).perform()
        eventually(lambda: page.map()["zoom"] > zoom, "the map goes nearer")
        self.assert_near(page.pixels(stops[1]), (at["width"] / 2, at["height"] / 2), 2)
        self.assertEqual(page.complaints(), [])

    def test_a_track_is_in_the_units_of_its_figures(self):
        daemon = self.keep(Daemon("track", f"{ROOT}/Recordings/drive.nmea", "--units", "nautical"))
        page = self.keep(Page(daemon.url, language="en-US"))
        eventually(lambda: page.map().get("trailPoints"), "the page has the way")
        self.assertRegex(self.figures(page)["Greatest speed"], r" kn$")
        self.assertRegex(page.text("legend"), r"^0\d+ kn$")
        self.assertRegex(page.text("chart-key"), r"^Speed to \d+ knAltitude .*\d m to .*\d m$")
        scale = page.run("return document.querySelector('.leaflet-control-scale').textContent")
        self.assertRegex(scale, r"^[\d.]+ nmi$")
