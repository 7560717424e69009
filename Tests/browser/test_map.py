"""The map of a replay."""
import base64
import itertools
import json
import math
import re
import tempfile

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import PAN, Daemon, Page, PageTest, drive_epochs, epoch_at, eventually, replay, without_fix
from tiles import Tiles, pmtiles


class PoleTests(PageTest):
    def test_where_the_map_ends_it_says_so_and_the_figures_go_on(self):
        daemon = self.keep(replay("--stale-after", "3600"))
        daemon.feed(*(epoch_at(84.9 + index * 0.1, 10, index) for index in range(4)))
        page = self.keep(Page(daemon.url))
        message = "The map ends at 85.05° north and south and cannot show where the receiver is."
        eventually(lambda: page.text("latitude") == "85.200000° N", "the figures are there")
        self.assertEqual(page.text("map-message"), message)
        self.assertTrue(page.run("return document.getElementById('map-message').checkVisibility()"))
        self.assertIsNone(page.marker())
        self.assertEqual(page.map()["trailPoints"], 2)
        daemon.feed(*(epoch_at(84 - index * 0.1, 11, 4 + index) for index in range(4)))
        eventually(lambda: page.text("latitude") == "83.700000° N", "the figures go on")
        eventually(page.marker, "the map has a mark again")
        self.assertFalse(page.run("return document.getElementById('map-message').checkVisibility()"))
        self.assert_near(page.marker(), page.pixels(daemon.records()[-1]))
        # No line leads along the edge to the place where the map continues.
        records = daemon.records()
        page.click("whole-trail")
        ends = [page.pixels(record) for record in records[1:] if record["latitude"] <= 85]
        eventually(lambda: page.has_trail_at(ends) == [True] * len(ends), "the trail is drawn")
        gap = [(ends[0][axis] + ends[1][axis]) / 2 for axis in (0, 1)]
        self.assertEqual(page.has_trail_at([gap]), [False])
        self.assertEqual(page.complaints(), [])


class MapTests(PageTest):
    def setUp(self):
        self.epochs = drive_epochs()
        self.daemon = self.keep(replay(
            "--stale-after", "3600", "--fence", "start=37.7858,-122.4064,50", "--span", "200"))

    def feed(self, first, last, lost=()):
        """Feeds the drive's seconds, and one more that ends the last one; returns the records."""
        epochs = [without_fix(epoch) if first + index in lost else epoch
                  for index, epoch in enumerate(self.epochs[first:last])]
        self.daemon.feed(*epochs)
        return eventually(lambda: self.settled(last - 2), f"the record of second {last - 2}")

    def settled(self, second):
        """The records, once that of a second or a later one has come."""
        clock = self.epochs[second].split(",")[1]
        time = f"{clock[:2]}:{clock[2:4]}:{clock[4:6]}"
        records = self.daemon.records()
        return records if records and records[-1]["time"][11:19] >= time else None

    def points(self):
        """The number of points of the daemon's trail."""
        return sum(1 for point in self.daemon.state()["trail"] if point)

    def open(self, **settings):
        page = self.keep(Page(self.daemon.url, **settings))
        eventually(lambda: page.status() == "live" or page.status() == "stale", "the page has a position")
        eventually(page.marker, "the map has a mark")
        return page

    def shows(self, page, record):
        latitude = f"{abs(record['latitude']):.6f}° N"
        eventually(lambda: page.text("latitude") == latitude, f"the latitude {latitude}")

    def assert_break(self, page, records):
        """Checks that the trail has a gap between the two records that are farthest apart, and only there."""
        places = [page.pixels(record) for record in records]
        gap = max(range(1, len(places)), key=lambda at: math.dist(places[at - 1], places[at]))
        ends = places[gap - 1], places[gap]
        middle = [sum(axis) / 2 for axis in zip(*ends)]
        eventually(lambda: page.has_trail_at([ends[0], middle, ends[1]]) == [True, False, True], "the break of the trail")

    def test_position_trail_and_reload(self):
        records = self.feed(60, 220, lost=range(150, 170))
        page = self.open()
        last = records[-1]
        self.shows(page, last)
        self.assert_near(page.marker(), page.pixels(last))
        self.assertEqual(page.text("longitude"), f"{abs(last['longitude']):.6f}° W")
        self.assertEqual(page.text("speed"), f"{last['speed'] * 3.6:.0f} km/h")

        # All points, and none where there was no fix.
        points = self.points()
        self.assertEqual(page.map()["trailPoints"], points)
        page.click("whole-trail")
        eventually(lambda: not page.is_pressed("follow"), "the whole trail stops following")
        places = [page.pixels(record) for record in records]
        eventually(lambda: all(page.has_trail_at(places)), "the trail goes through every record")
        self.assert_break(page, records)
        self.assert_near(page.marker(), page.pixels(last))

        # A reload keeps the trail.
        page.driver.refresh()
        eventually(page.marker, "the map has a mark after a reload")
        eventually(lambda: page.map().get("trailPoints") == points, "the trail is there after a reload")
        self.assertEqual(page.complaints(), [])

    def test_the_world_is_under_the_map(self):
        self.feed(60, 120)
        page = self.open()
        page.run("document.getElementById('map').focus()")
        # A coast that is wrong by more than ten pixels is not drawn.
        for _ in range(7):
            page.driver.find_element(By.CLASS_NAME, "leaflet-control-zoom-out").click()
        colour = lambda place: page.run("""
            const canvas = document.querySelector("canvas.world");
            const [map, box] = [document.getElementById("map"), canvas].map((it) => it.getBoundingClientRect());
            const [x, y] = [arguments[0][0] + map.x - box.x, arguments[0][1] + map.y - box.y].map(Math.round);
            return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data];""", place)
        at = lambda latitude, longitude: page.pixels({"latitude": latitude, "longitude": longitude})
        self.assertEqual(colour(at(37.6, -123.2))[3], 0, "no coast at this level")
        for _ in range(2):
            page.driver.find_element(By.CLASS_NAME, "leaflet-control-zoom-out").click()
        eventually(lambda: colour(at(37.6, -123.2))[3] == 255, "the sea")
        # Tiles and trail are in panes above it.
        pane = page.run("return document.querySelector('canvas.world').parentElement.className")
        self.assertEqual(pane, "leaflet-pane leaflet-world-pane")
        self.assertEqual(colour(at(37.5, -121.6))[3], 0, "the land has the colour of the page")
        self.assertEqual(page.complaints(), [])
        print(f"\nthe world: {page.driver.execute_async_script(PAN):.0f} frames a second while the map is dragged")

    def test_controls_cover_nothing_of_the_whole_trail(self):
        records = self.feed(60, 260)
        for width, height in ((320, 640), (390, 844), (768, 1024), (1280, 800), (700, 500)):
            page = self.open(width=width, height=height)
            eventually(lambda: page.map().get("trailPoints") == self.points(), "the whole trail")
            page.click("whole-trail")
            covered = page.run("""
                const map = document.getElementById("map").getBoundingClientRect();
                const boxes = [...document.querySelectorAll(".legend, .tools button, .leaflet-control-scale, .leaflet-bar")]
                    .map((it) => it.getBoundingClientRect()).filter(({ width }) => width > 0);
                return arguments[0].filter(([x, y]) => x < 0 || y < 0 || x > map.width || y > map.height || boxes.some((box) =>
                    x + map.x > box.left && x + map.x < box.right && y + map.y > box.top && y + map.y < box.bottom)).length;""",
                               [page.pixels(record) for record in records])
            self.assertEqual(covered, 0, f"{width} x {height}")
            page.driver.quit()

    def test_a_fence_says_entering_and_leaving_before_its_state_changes(self):
        self.daemon.feed(*(epoch_at(37.79, -122.40, second) for second in range(30)))
        page = self.open()
        eventually(lambda: page.text("fence-list") == "startoutside", "outside")
        self.daemon.feed(*(epoch_at(37.7858, -122.4064, second) for second in range(30, 33)))
        eventually(lambda: page.text("fence-list") == "startentering", "entering")
        eventually(lambda: page.run("return document.querySelectorAll('path.fence.entering').length") == 1, "on the map")
        self.daemon.feed(*(epoch_at(37.7858, -122.4064, second) for second in range(33, 80)))
        eventually(lambda: page.text("fence-list") == "startinside", "inside")
        self.daemon.feed(*(epoch_at(37.79, -122.40, second) for second in range(80, 83)))
        eventually(lambda: page.text("fence-list") == "startleaving", "leaving")

    def test_a_polygon_is_drawn_with_its_hole_and_named_at_its_north(self):
        square = lambda half: [[-122.40 + east * half, 37.79 + north * half / 2]
                               for east, north in ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))]
        with tempfile.NamedTemporaryFile("w", suffix=".geojson") as file:
            json.dump({"type": "FeatureCollection", "features": [{
                "type": "Feature", "id": "park", "properties": {},
                "geometry": {"type": "Polygon", "coordinates": [square(0.01), square(0.004)]}}]}, file)
            file.flush()
            self.daemon = self.keep(replay("--stale-after", "3600", "--fences", file.name))
        self.daemon.feed(*(epoch_at(37.793, -122.40, second) for second in range(40)))
        page = self.open()
        eventually(lambda: page.text("fence-list") == "parkinside", "inside")
        self.assertEqual(page.run("return document.querySelector('path.fence').getAttribute('d').match(/M/g).length"), 2)
        page.run("for (let step = 0; step < 4; step += 1) document.querySelector('.leaflet-control-zoom-out').click()")
        label = eventually(lambda: page.run("""
            const [label, map] = [document.querySelector(".fence-label"), document.getElementById("map")].map((it) => it.getBoundingClientRect());
            return label.width && [label.x + label.width / 2 - map.x, label.y + label.height / 2 - map.y];"""), "its name")
        corners = [page.pixels({"latitude": 37.795, "longitude": longitude}) for longitude in (-122.41, -122.39)]
        self.assertLess(min(math.dist(label, corner) for corner in corners), 30)
        # In the hole it is outside.
        self.daemon.feed(*(epoch_at(37.79, -122.40, second) for second in range(40, 43)))
        eventually(lambda: page.text("fence-list") == "parkleaving", "in the hole")

    def test_the_scale_of_a_growing_trail_seldom_changes(self):
        self.feed(60, 80)
        page = self.open()
        tops = page.driver.execute_async_script("""
            const done = arguments[0];
            import("/speeds.js").then(({ speedScale }) => done(Array.from({ length: 130 }, (_, speed) => {
                const { classes, step } = speedScale(speed / 3.6, true);
                return classes * step;
            })));""")
        self.assertEqual(sorted(set(tops)), [10, 20, 50, 100, 200])

    def test_coordinates_in_minutes_and_as_a_grid_square_are_kept(self):
        self.feed(60, 120)
        page = self.open()
        last = self.daemon.records()[-1]
        choose = lambda value: page.run("""
            const select = document.getElementById("coordinates");
            select.value = arguments[0];
            select.dispatchEvent(new Event("change"));""", value)
        choose("minutes")
        minutes = f"{(last['latitude'] % 1) * 60:06.3f}"
        eventually(lambda: page.text("latitude") == f"37° {minutes}′ N", "minutes")
        choose("grid")
        eventually(lambda: page.text("latitude").startswith("CM87t"), "the grid square")
        self.assertEqual(page.text("longitude"), "")
        page.driver.refresh()
        eventually(lambda: page.text("latitude").startswith("CM87t"), "the grid square after a reload")

    def test_it_prints_on_one_page(self):
        self.feed(60, 220)
        for dark in (False, True):
            page = self.open(dark=dark)
            paper = page.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True})
            self.assertEqual(len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(paper["data"]))), 1)

    def test_the_map_follows_until_somebody_drags_it(self):
        self.feed(60, 220)
        page = self.open()
        points = page.map()["trailPoints"]
        self.assertTrue(page.is_pressed("follow"))
        at = page.map()
        self.assert_near(page.marker(), (at["width"] / 2, at["height"] / 2))
        page.look(800, 1280, dark=False)
        eventually(lambda: page.map()["width"] == 800, "the map takes the new width")
        at = page.map()
        eventually(lambda: math.dist(page.marker(), (400, at["height"] / 2)) <= 1, "the position stays in the middle")
        page.run("document.getElementById('sky-details').open = true")
        eventually(lambda: page.map()["height"] < at["height"], "the table takes room from the map")
        height = page.map()["height"]
        eventually(lambda: math.dist(page.marker(), (400, height / 2)) <= 1, "the position stays in the middle")
        page.look(1280, 800, dark=False)
        eventually(lambda: page.map()["width"] != 800, "the map takes the new width")
        at = page.map()
        last = self.feed(220, 235)[-1]
        self.shows(page, last)
        self.assert_near(page.marker(), (at["width"] / 2, at["height"] / 2))
        eventually(lambda: page.map()["trailPoints"] > points, "the trail grows")
        surface = page.driver.find_element(By.ID, "map")
        ActionChains(page.driver).click_and_hold(surface).move_by_offset(90, 40).move_by_offset(30, 10).release().perform()
        eventually(lambda: not page.is_pressed("follow"), "dragging stops following")
        at = page.map()
        records = self.feed(235, 256, lost=range(242, 249))
        last = records[-1]
        self.shows(page, last)
        self.assertEqual([page.map()[name] for name in ("latitude", "longitude")], [at["latitude"], at["longitude"]])
        self.assert_near(page.marker(), page.pixels(last))
        self.assert_break(page, records[-20:])

        # The button resumes following, the keyboard stops it, zooming keeps it.
        page.click("follow")
        eventually(lambda: page.is_pressed("follow"), "the button follows again")
        self.assert_near(page.marker(), (at["width"] / 2, at["height"] / 2))
        eventually(lambda: abs(page.marker()[1] - at["height"] / 2) < 0.5, "the map has come to rest")
        for step in range(1, 9):
            # A key is ignored while the map moves, so this waits until the map rests.
            before = page.map()["latitude"]
            surface.send_keys(Keys.ARROW_UP)
            eventually(
                lambda: page.marker()[1] >= at["height"] / 2 + 80 * step - 1 and page.map()["latitude"] != before,
                "the map moves by an arrow key")
        self.assertFalse(page.is_pressed("follow"))
        places = [page.pixels(record) for record in self.daemon.records()]
        seen = [place for place in places if 10 < place[0] < at["width"] - 10 and 10 < place[1] < at["height"] - 10]
        eventually(lambda: all(page.has_trail_at(seen)), "the trail is drawn where the map came to")
        page.click("follow")
        page.driver.find_element(By.CLASS_NAME, "leaflet-control-zoom-out").click()
        eventually(lambda: page.map()["zoom"] == at["zoom"] - 1, "the map zooms out")
        self.assertTrue(page.is_pressed("follow"))
        self.assert_near(page.marker(), (at["width"] / 2, at["height"] / 2))
        self.assertEqual(page.complaints(), [])

    def test_two_browsers_agree_each_in_its_units(self):
        self.feed(60, 120)
        metric, american, british = (self.open(language=language) for language in ("de-DE", "en-US", "en-GB"))
        last = self.feed(120, 160)[-1]
        for page in (metric, american, british):
            self.shows(page, last)
        self.assertEqual([page.text("follow") for page in (metric, american)], ["Folgen", "Follow"])
        self.assertEqual(metric.text("longitude"), american.text("longitude"))
        self.assertEqual(metric.map()["trailPoints"], american.map()["trailPoints"])
        self.assertEqual(metric.text("speed"), f"{last['speed'] * 3.6:.0f} km/h")
        self.assertEqual(american.text("speed"), f"{last['speed'] * 3600 / 1609.344:.0f} mph")
        self.assertRegex(metric.text("accuracy"), r"^± \d+ m$")
        # The figures, the legend and the scale use one system of units.
        for page, speed, lengths in ((metric, "km/h", "(k?m)"), (american, "mph", "(ft|mi)"), (british, "mph", "(ft|mi)")):
            self.assertRegex(page.text("speed"), rf" {speed}$")
            self.assertRegex(page.text("legend"), rf"^0\d+ {speed}$")
            for name in ("accuracy", "altitude", "altitude-accuracy"):
                self.assertRegex(page.text(name), rf"\d {lengths}$")
            scale = page.run("return document.querySelector('.leaflet-control-scale').textContent")
            self.assertRegex(scale, rf"^\d+ {lengths}$")
            self.assertEqual(page.complaints(), [])

    def test_course_fences_region_and_satellites(self):
        self.feed(60, 120)
        page = self.open()
        last = self.daemon.records()[-1]
        course = page.run("return document.querySelector('.position div').dataset.course")
        self.assertAlmostEqual(float(course), last["course"], places=3)
        self.assertEqual(page.run("return document.querySelectorAll('#fence-list li').length"), 1)
        self.assertEqual(page.text("fence-list"), "startoutside")
        at = page.map()
        metre = 2 ** at["zoom"] * 256 / (2 * math.pi * 6378137 * math.cos(math.radians(last["latitude"])))
        self.assertAlmostEqual(self.size(page, "accuracy")[0], 2 * last["horizontalAccuracy"] * metre, delta=3)
        # Without tiles there are meridians.
        self.assertTrue(page.run("""
            const canvas = document.querySelector("canvas.graticule");
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            const isDrawn = (x, y) => data[4 * (y * canvas.width + x) + 3] > 0;
            const rows = Array.from({ length: canvas.height }, (_, y) => y);
            return Array.from({ length: canvas.width }, (_, x) => x).some((x) => rows.every((y) => isDrawn(x, y)));"""))
        # A region is drawn on request.
        self.assertEqual(page.run("return document.querySelectorAll('.region').length"), 0)
        page.click("show-region")
        self.assertEqual(page.run("return document.querySelectorAll('.region').length"), 1)
        for found in self.size(page, "region"):
            self.assertAlmostEqual(found, 200 * metre, delta=4)
        self.assertTrue(page.is_pressed("follow"), "it is in sight already")
        # The map moves there from another place.
        page.click("show-region")
        page.run("document.getElementById('map').focus()")
        for _ in range(30):
            page.driver.switch_to.active_element.send_keys("\ue012")
        page.click("show-region")
        x, y = page.pixels(last)
        at = page.map()
        self.assertTrue(0 < x < at["width"] and 0 < y < at["height"], (x, y))
        # Every satellite of the sky has a mark and a line of the table.
        satellites = self.daemon.state()["satellites"]
        self.assertGreater(len(satellites), 10)
        page.run("document.getElementById('sky-details').open = true")
        eventually(lambda: page.run("return document.querySelectorAll('#sky-rows tr').length") == len(satellites),
                   "the table has every satellite")
        used = sum(1 for satellite in satellites if satellite["used"])
        eventually(lambda: page.run("return document.querySelectorAll('#sky-plot .used').length") == used,
                   "the plot has every satellite that is used")
        # And a bar, whose height is the strength of the signal.
        bars = page.run("""
            return [...document.querySelectorAll("#systems .bar")].map((it) =>
                [it.classList.contains("used"), it.getBoundingClientRect().height]);""")
        satellites.sort(key=lambda it: (it["system"].lower(), it["number"]))
        self.assertEqual([is_used for is_used, _ in bars], [it["used"] for it in satellites])
        by_signal = sorted((it.get("signal", 0), height) for it, (_, height) in zip(satellites, bars))
        heights = [height for _, height in by_signal]
        self.assertEqual(heights, sorted(heights))
        self.assertGreater(heights[-1], heights[0] + 2)
        self.assertEqual(page.complaints(), [])

    def test_pointing_at_the_way_says_what_was_there_and_the_place_can_be_copied(self):
        self.feed(60, 120)
        page = self.open()
        records = self.daemon.records()
        eventually(lambda: page.map()["trailPoints"] == len(records), "the whole trail")
        there = records[-8]
        page.point(page.pixels(there))
        hint = eventually(page.hint, "the hint")
        self.assertIn(f"{round(there['speed'] * 3.6)} km/h", hint)
        self.assertIn(there["time"][14:19], hint)
        self.assertRegex(hint, r"\d+([.,]\d)? m$")
        # Elsewhere there is no hint, and a finger gets one as well.
        page.point((5, 5))
        eventually(lambda: page.hint() is None, "no hint beside the way")
        page.tap(page.pixels(there))
        eventually(lambda: page.hint() == hint, "the same hint for a finger")

        page.run("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        page.click("copy")
        last = records[-1]
        place = f"{last['latitude']:.6f}, {last['longitude']:.6f}"
        self.assertEqual(page.run("return window.copied"), place)
        eventually(lambda: page.text("copy") == "Copied", "it says so")
        # A browser without a clipboard for the page copies the selection, or else the page reports that it did not.
        page.run("""
            navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
            document.execCommand = () => {
                const { value, selectionStart, selectionEnd } = document.activeElement;
                window.copied = value.slice(selectionStart, selectionEnd);
                return window.copies;
            };""")
        for copies, words in ((False, "Not allowed"), (True, "Copied")):
            page.run("[window.copies, window.copied] = [arguments[0], undefined]", copies)
            page.click("copy")
            eventually(lambda: page.text("copy") == words, f"it says {words!r}")
            self.assertEqual(page.run("return window.copied"), place)
        self.assertEqual(page.complaints(), [])

    def test_the_time_of_the_fix_is_in_the_zone_of_the_browser_and_in_utc(self):
        self.feed(60, 120)
        page = self.open(zone="Asia/Kolkata")
        last = self.daemon.records()[-1]
        self.assertEqual(last["time"][:16], "2026-05-06T23:55")
        self.assertRegex(page.text("time"), rf"\b0?5:25:{last['time'][17:19]}\b")
        self.assertRegex(page.text("time-utc"), rf"\b(23|11):55:{last['time'][17:19]}\b.* UTC$")
        # The date is different there.
        self.assertRegex(page.text("time"), r"\b7\b|07\.")
        self.assertRegex(page.text("time-utc"), r"2026")
        same = self.open(zone="America/Los_Angeles")
        self.assertNotRegex(same.text("time-utc"), r"2026")
        there = self.open(zone="UTC")
        self.assertRegex(there.text("time"), rf"\b(23|11):55:{last['time'][17:19]}\b.* UTC$")
        self.assertEqual(there.text("time-utc"), "")

    def test_this_trip_is_the_way_since_the_last_stop(self):
        # It rests for 40 s, which is too short for a stop, then drives for half a minute.
        self.feed(0, 70)
        page = self.open()
        records = self.daemon.records()
        trip = self.daemon.state()["trip"]
        self.assertEqual(trip["start"], records[0]["time"])
        eventually(lambda: page.text("trip") == f"{trip['distance']:.0f} m in 1 min 09 s", "the trip")
        self.assertGreater(trip["distance"], 100)
        # A rest of five minutes is a stop, and then another trip begins. The clock of this receiver starts again.
        last = records[-1]
        north, east = last["latitude"], last["longitude"]
        self.daemon.feed(*(epoch_at(north, east, second) for second in range(310)))
        eventually(lambda: "trip" not in self.daemon.state(), "there is no trip at a stop")
        eventually(lambda: page.text("trip") == "", "the page shows none")
        # The positions are the same, so they have no scatter.
        eventually(lambda: re.match(
            r"5 min \d\d s so far\. The position has stayed within 0\.0 m; the receiver promised 19 m\.$", page.text("stop")), "the accuracy")
        self.daemon.feed(*(epoch_at(north + 0.0003 * (second - 309), east, second) for second in range(310, 360)))
        trip = eventually(lambda: self.daemon.state().get("trip"), "another trip")
        self.assertLess(trip["duration"], 60)
        eventually(lambda: page.text("stop") == "", "no accuracy on a trip")
        self.assertEqual(page.complaints(), [])

    def test_names_of_fences_lie_over_nothing_and_are_short(self):
        fences = [("--fence", f"{'a long name ' * 5 if number == 0 else 'fence'} {number}="
                   f"{37.78 + 0.001 * (number % 6)},{-122.41 + 0.0015 * (number // 6)},{100 + number}") for number in range(30)]
        self.daemon = self.keep(replay(*itertools.chain(*fences)))
        self.feed(0, 30)
        page = self.open()
        page.click("whole-trail")
        boxes = eventually(lambda: page.run("""
            return [...document.querySelectorAll(".fence-label")].filter((it) => it.checkVisibility()).map((it) => {
                const { left, top, right, bottom } = it.getBoundingClientRect();
                return [left, top, right, bottom];
            });"""), "names")
        self.assertGreater(len(boxes), 3)
        self.assertLess(max(right - left for left, _, right, _ in boxes), 200)
        for one, other in itertools.combinations(boxes, 2):
            self.assertFalse(one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3], (one, other))

    def size(self, page, name):
        """Width and height of a shape on the map, in pixels."""
        return page.run("""
            const { width, height } = document.querySelector(`path.${arguments[0]}`).getBoundingClientRect();
            return [width, height];""", name)

    def test_tiles_lie_under_the_map_and_their_maker_is_named(self):
        tiles = self.keep(Tiles())
        daemon = self.keep(replay(
            "--stale-after", "3600", "--map-tiles", f"{tiles.url}{{z}}/{{x}}/{{y}}.png",
            "--map-attribution", '© <a href="https://tiles.example/">Tiles</a><img src="https://other.example/">'))
        daemon.feed(*self.epochs[60:80])
        page = self.keep(Page(daemon.url))
        eventually(page.marker, "the map has a mark")
        eventually(lambda: page.run("return document.querySelectorAll('.leaflet-tile-loaded').length") >= 4, "tiles")
        self.assertEqual(page.run("return document.querySelectorAll('canvas.graticule').length"), 0)
        self.assertEqual(tiles.referrers, {daemon.url})
        attribution = page.driver.find_element(By.CLASS_NAME, "leaflet-control-attribution")
        self.assertEqual(attribution.text, "© Tiles")
        self.assertEqual(attribution.find_element(By.TAG_NAME, "a").get_attribute("href"), "https://tiles.example/")
        # Requests go only to the two hosts, also for a picture in an attribution.
        self.assertEqual(page.complaints(also=(tiles.url,)), [])

    def test_tiles_grow_where_the_map_is_deeper_than_their_file(self):
        with tempfile.NamedTemporaryFile(suffix=".pmtiles") as file:
            file.write(pmtiles(deepest=3))
            file.flush()
            daemon = self.keep(replay("--stale-after", "3600", "--map-tiles", file.name))
            daemon.feed(*self.epochs[60:80])
            page = self.keep(Page(daemon.url))
            eventually(page.marker, "the map has a mark")
            zoom = page.map()["zoom"]
            self.assertEqual(zoom, 16)
            page.driver.find_element(By.CLASS_NAME, "leaflet-control-zoom-in").click()
            eventually(lambda: page.map()["zoom"] == zoom + 1, "the map zooms in")

            def pictures():
                return page.run("""
                    return [...document.querySelectorAll(".leaflet-tile-loaded")].map((it) =>
                        [new URL(it.src).pathname.split("/").at(-3), it.getBoundingClientRect().width]);""")

            eventually(pictures, "a tile")
            for depth, width in pictures():
                self.assertEqual(depth, "3")
                self.assertEqual(width, 256 * 2 ** (17 - 3))
            self.assertEqual(page.complaints(), [])

    def test_a_replay_that_begins_anew_draws_no_line_to_the_start(self):
        with tempfile.NamedTemporaryFile("w", suffix=".nmea") as file:
            file.write("".join(self.epochs[60:100]))
            file.flush()
            daemon = self.keep(Daemon("replay", file.name, "--speed", "20", "--loop", "--stale-after", "3600"))
            page = self.keep(Page(daemon.url))
            eventually(lambda: None in daemon.state()["trail"], "it has begun anew")
            records = daemon.records()
            again = next(index for index in range(1, len(records)) if records[index]["time"] < records[index - 1]["time"])
            eventually(lambda: page.map().get("trailPoints", 0) > again, "the page has more than one round")
            page.click("whole-trail")
            ends = [page.pixels(records[0]), page.pixels(records[again - 1])]
            eventually(lambda: all(page.has_trail_at(ends)), "the ends of the way")
            middle = [sum(axis) / 2 for axis in zip(*ends)]
            self.assertEqual(page.has_trail_at([middle]), [False])

    def test_without_scripts_there_is_one_notice(self):
        page = self.keep(Page(self.daemon.url, runs_scripts=False))
        text = page.driver.find_element(By.TAG_NAME, "body").text
        self.assertEqual(text, "This page needs JavaScript. The same values for other programs: state.json.")

    def test_without_leaflet_the_values_are_there(self):
        daemon = self.keep(replay("--stale-after", "3600", "--map-assets", "/nonexistent"))
        daemon.feed(*self.epochs[60:80])
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.text("latitude").startswith("37."), "the page shows the latitude")
        eventually(lambda: "libjs-leaflet" in page.text("map-message"), "the page says what to install")
        self.assertEqual(page.complaints(), [])
        # After the installation and a restart of the daemon, the map appears by itself.
        daemon.end()
        again = self.keep(replay("--stale-after", "3600", port=daemon.port))
        again.feed(*self.epochs[60:80])
        eventually(page.marker, "the map has a mark")
