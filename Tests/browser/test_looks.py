"""The page on a phone and on a desktop, light and dark, live and of a recording: nothing is cut off, and axe reports nothing."""
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import ROOT, Daemon, Page, PageTest, drive_epochs, eventually, replay

try:
    from axe_selenium_python import Axe
except ImportError:
    Axe = None

LOOKS = [(width, height, dark) for width, height in ((320, 640), (390, 844), (1280, 800)) for dark in (False, True)]
# A map of medium width.
BETWEEN = [(width, 700, False) for width in (360, 560, 600, 680, 768, 840, 960, 1000, 1024, 1120, 1440, 1920, 2560)]


class LooksTest(PageTest):
    """A page, and the checks of every page."""

    def assert_fits(self):
        for width, height, dark in LOOKS + BETWEEN:
            with self.subTest(width=width, dark=dark):
                self.page.look(width, height, dark)
                eventually(lambda: not self.cut_off(), f"cut off is {self.cut_off()}", seconds=5)
                eventually(lambda: not self.covered(), f"covered is {self.covered()}", seconds=5)
                # One scroll bar at most: the window's, or that of the panel.
                if self.page.run("return getComputedStyle(document.querySelector('.panel')).overflowY === 'auto'"):
                    height_of_all = self.page.run("return document.documentElement.scrollHeight")
                    self.assertLessEqual(height_of_all, height)
                self.assertLessEqual(self.page.run("return document.documentElement.scrollWidth"), width)
                background = self.page.run("return getComputedStyle(document.body).backgroundColor")
                brightness = sum(map(int, background[4:-1].split(",")))
                self.assertEqual(brightness < 300, dark)
        self.assertEqual(self.page.complaints(), [])

    def cut_off(self):
        """The elements that extend beyond the panel or the map, or are wider than their box. The table of satellites has a scroll bar."""
        return self.page.run("""
            const right = (name) => document.querySelector(name).getBoundingClientRect().right;
            return [...document.querySelectorAll(".panel *:not(svg *, #sky-table *, #sky-table), .stage button, .legend *")].filter((it) => {
                const box = it.getBoundingClientRect();
                return box.right > right(it.closest(".panel, .stage").className.includes("panel") ? ".panel" : ".stage")
                    || (getComputedStyle(it).display === "block" && getComputedStyle(it).textOverflow !== "ellipsis"
                        && it.scrollWidth > it.clientWidth + 1);
            }).map((it) => it.id || it.className || it.nodeName);""")

    def covered(self):
        """The elements that cover another one: on the map the controls, in the panel the texts."""
        return self.page.run("""
            const controls = document.querySelectorAll(".tools button, .legend, .leaflet-control-scale, .leaflet-bar");
            const texts = document.querySelectorAll(".panel :is(h1, h2, dt, dd > span, dd:not(:has(span)), small, button, th, td)");
            const rise = ({ height }) => Math.max(8, 0.1 * height);
            const found = [];
            for (const list of [controls, texts]) {
                const seen = [...list].filter((it) => it.checkVisibility() && it.textContent).map((it) => {
                    const range = document.createRange();
                    range.selectNodeContents(it);
                    return { it, box: (list === texts ? range : it).getBoundingClientRect() };
                });
                for (const { it, box } of seen) {
                    for (const other of seen) {
                        if (it === other.it || it.contains(other.it) || other.it.contains(it)) continue;
                        if (box.left + 1 < other.box.right && other.box.left + 1 < box.right
                            // The line box of a text is higher than its letters.
                            && box.top + rise(box) < other.box.bottom && other.box.top + rise(other.box) < box.bottom)
                            found.push(`${it.textContent} / ${other.it.textContent}`);
                    }
                }
            }
            return found;""")

    def assert_accessible(self):
        axe = Axe(self.page.driver)
        axe.inject()
        for width, height, dark in LOOKS:
            with self.subTest(width=width, dark=dark, status=self.page.status()):
                self.page.look(width, height, dark)
                # This axe is from before HTML had groups in a dl.
                result = axe.run(options='{"rules": {"dlitem": {"enabled": false}}}')
                found = [f"{it['id']}: {[node['html'] for node in it['nodes']]}" for it in result["violations"]
                         if it["impact"] in ("serious", "critical")]
                self.assertEqual(found, [])


class LiveLooksTests(LooksTest):
    def setUp(self):
        self.daemon = self.keep(replay("--stale-after", "3600", "--fence", "start=37.7858,-122.4064,50"))
        self.daemon.feed(*drive_epochs()[60:120])
        self.page = self.keep(Page(self.daemon.url))
        eventually(self.page.marker, "the map has a mark")
        self.page.run("document.getElementById('sky-details').open = true")

    def test_the_widest_words_stand_beside_each_other(self):
        for width, height, _ in LOOKS + BETWEEN:
            self.page.look(width, height, False)
            room = self.page.run("""
                const [speed, course] = ["speed", "course"].map((name) => document.getElementById(name));
                [speed.firstChild.data, course.firstChild.data, course.lastChild.textContent] = ["188", "NW", " 315°"];
                const edges = (it) => {
                    const range = document.createRange();
                    range.selectNodeContents(it);
                    return range.getBoundingClientRect();
                };
                const [one, other] = [speed, course].map(edges);
                return other.top >= one.bottom - 8 ? Infinity : other.left - one.right;""")
            if room is not None:
                self.assertGreater(room, 8, width)

    def test_the_longest_values_stay_in_their_places(self):
        for text in (1, 2):
            page = self.page = self.keep(Page(self.daemon.url, text=text))
            eventually(page.marker, "the map has a mark")
            for width, height, _ in LOOKS[::2] + BETWEEN:
                page.look(width, height, False)
                # One frame with the longest values; the receiver is silent.
                outside = page.run("""
                    const values = { speed: ["188", " km/h"], course: ["NW", " 313°"], latitude: ["88° 59.999′ N"],
                        longitude: ["179° 59.999′ W"], accuracy: ["± 9999 m"], altitude: ["−1234 m"], age: ["59 min 59 s"] };
                    for (const [id, parts] of Object.entries(values)) {
                        [...document.getElementById(id).childNodes].forEach((it, place) => (it.textContent = parts[place]));
                    }
                    const box = (it) => {
                        const range = document.createRange();
                        range.selectNodeContents(it);
                        return range.getBoundingClientRect();
                    };
                    const panel = document.querySelector(".panel").getBoundingClientRect();
                    const found = Object.keys(values).map((id) => [id, box(document.getElementById(id))]);
                    const apart = (one, other) => one.right <= other.left || other.right <= one.left || one.bottom <= other.top + 8
                        || other.bottom <= one.top + 8;
                    return found.filter(([id, one]) => one.right > panel.right || found.some(([other, it]) => id !== other && !apart(one, it)))
                        .map(([id]) => id);""")
                self.assertEqual(outside, [], (width, text))
                small = page.run("""
                    return [...document.querySelectorAll("#copy, #coordinates, .tools button")].filter((it) =>
                        it.checkVisibility() && it.getBoundingClientRect().height < 44).map((it) => it.id);""")
                self.assertEqual(small, [], "too small to touch")
                covering = page.run("""
                    const { x, y, width, height } = document.querySelector(".position").getBoundingClientRect();
                    const [across, down] = [x + width / 2, y + height / 2];
                    return [...document.querySelectorAll(".tools button, .legend, .leaflet-control-scale, .leaflet-bar a")].filter((it) => {
                        const { left, top, right, bottom } = it.getBoundingClientRect();
                        return left < across + 20 && right > across - 20 && top < down + 20 && bottom > down - 20;
                    }).map((it) => it.textContent);""")
                self.assertEqual(covering, [], f"the position is covered at {width}, {text}")
                scale = page.run("""
                    const line = document.querySelector(".leaflet-control-scale-line");
                    return line.scrollWidth <= line.clientWidth;""")
                self.assertTrue(scale, f"the words of the scale leave it at {width}, {text}")

    def test_everything_fits(self):
        self.assert_fits()
        # A long name ends in an ellipsis, and its tooltip has the whole name.
        name = self.page.run("""
            const long = document.getElementById("connection");
            long.textContent = "/var/lib/recordings/".repeat(9);
            return [long.scrollWidth > long.clientWidth, long.title];""")
        self.assertEqual(name, [True, "standard input, playing"])
        self.assertEqual(self.cut_off(), [])

    def test_everything_fits_in_large_text(self):
        self.page = self.keep(Page(self.daemon.url, text=2))
        eventually(self.page.marker, "the map has a mark")
        self.page.run("document.getElementById('sky-details').open = true")
        size = self.page.run("return parseFloat(getComputedStyle(document.getElementById('time')).fontSize)")
        self.assertGreaterEqual(size, 32)
        self.assert_fits()

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()
        # The same in grey.
        self.daemon.end()
        eventually(self.page.is_old, "the page turns grey")
        self.assert_accessible()

    def test_forced_colours_tell_a_pressed_button_from_another(self):
        self.page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
        pressed, other = self.page.run("""
            return ["follow", "whole-trail"].map((it) => getComputedStyle(document.getElementById(it)).backgroundColor)""")
        self.assertNotEqual(pressed, other)

    def test_the_keyboard_reaches_everything_and_a_ring_shows_where(self):
        reached = []
        for _ in range(11):
            ActionChains(self.page.driver).send_keys(Keys.TAB).perform()
            name, ring = self.page.run("""
                const it = document.activeElement;
                // What the map draws would cover a ring of its own.
                const { outlineStyle, outlineWidth } = getComputedStyle(it, it.id === "map" ? "::after" : null);
                return [it.id || it.getAttribute("aria-label") || it.nodeName, `${outlineWidth} ${outlineStyle}`];""")
            reached.append(name)
            self.assertEqual(ring, "3px solid", name)
        self.assertEqual(
            reached,
            ["map", "Zoom in", "Zoom out", "follow", "whole-trail", "show-region", "whole-screen", "Values", "copy", "coordinates",
             "SUMMARY"])


class ReplayLooksTests(LooksTest):
    def setUp(self):
        self.daemon = self.keep(Daemon("replay", f"{ROOT}/Recordings/drive.nmea"))
        self.show()
        self.page.click("replay-pause")
        eventually(lambda: self.page.status() == "paused", "the replay is paused")

    def show(self, text=1):
        self.page = self.keep(Page(self.daemon.url, text=text))
        eventually(self.page.marker, "the map has a mark")
        eventually(lambda: self.page.run("return !document.getElementById('replay-position').hidden"), "the length")

    def test_everything_fits(self):
        self.assert_fits()
        self.show(text=2)
        self.assert_fits()

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()


class TrackLooksTests(LooksTest):
    def setUp(self):
        self.daemon = self.keep(Daemon("track", f"{ROOT}/Recordings/drive.nmea", "--stop-after", "20"))
        self.page = self.keep(Page(self.daemon.url))
        eventually(lambda: self.page.map().get("trailPoints"), "the page has the way")

    def test_everything_fits(self):
        self.assert_fits()

    def test_everything_fits_in_large_text(self):
        self.page = self.keep(Page(self.daemon.url, text=2))
        eventually(lambda: self.page.map().get("trailPoints"), "the page has the way")
        self.assert_fits()

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()
