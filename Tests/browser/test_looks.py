"""The page on a phone and on a desktop, light and dark, live and of a recording: nothing cut off, nothing that axe minds."""
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from support import ROOT, Daemon, Page, PageTest, drive_epochs, eventually, replay

try:
    from axe_selenium_python import Axe
except ImportError:
    Axe = None

LOOKS = [(width, height, dark) for width, height in ((320, 640), (390, 844), (1280, 800)) for dark in (False, True)]


class LooksTest(PageTest):
    """A page, and what is asked of every page."""

    def assert_fits(self):
        for width, height, dark in LOOKS:
            with self.subTest(width=width, dark=dark):
                self.page.look(width, height, dark)
                eventually(lambda: not self.cut_off(), f"cut off is {self.cut_off()}", seconds=5)
                # One scroll bar at most: the window's, or that of the panel.
                if width > 820:
                    height_of_all = self.page.run("return document.documentElement.scrollHeight")
                    self.assertLessEqual(height_of_all, height)
                self.assertLessEqual(self.page.run("return document.documentElement.scrollWidth"), width)
                background = self.page.run("return getComputedStyle(document.body).backgroundColor")
                brightness = sum(map(int, background[4:-1].split(",")))
                self.assertEqual(brightness < 300, dark)
        self.assertEqual(self.page.complaints(), [])

    def cut_off(self):
        """What stands out of the panel or of the map, or is wider than its box."""
        return self.page.run("""
            const right = (name) => document.querySelector(name).getBoundingClientRect().right;
            return [...document.querySelectorAll(".panel *:not(svg *), .stage button, .legend *")].filter((it) => {
                const box = it.getBoundingClientRect();
                return box.right > right(it.closest(".panel, .stage").className.includes("panel") ? ".panel" : ".stage")
                    || (getComputedStyle(it).display === "block" && getComputedStyle(it).textOverflow !== "ellipsis"
                        && it.scrollWidth > it.clientWidth + 1);
            }).map((it) => it.id || it.className || it.nodeName);""")

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

    def test_everything_fits(self):
        self.assert_fits()
        # A long name ends in an ellipsis, and is whole for whoever points at it.
        name = self.page.run("""
            const long = document.getElementById("connection");
            long.textContent = "/var/lib/recordings/".repeat(9);
            return [long.scrollWidth > long.clientWidth, long.title];""")
        self.assertEqual(name, [True, "standard input, playing"])
        self.assertEqual(self.cut_off(), [])

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()
        # The same in grey.
        self.daemon.end()
        eventually(self.page.is_old, "the page turns grey")
        self.assert_accessible()

    def test_the_keyboard_reaches_everything(self):
        reached = []
        for _ in range(10):
            ActionChains(self.page.driver).send_keys(Keys.TAB).perform()
            reached.append(self.page.run("""
                const it = document.activeElement;
                return it.id || it.getAttribute("aria-label") || it.nodeName;"""))
        self.assertEqual(
            reached,
            ["map", "Zoom in", "Zoom out", "follow", "whole-trail", "show-region", "whole-screen", "Values", "copy", "SUMMARY"])


class TrackLooksTests(LooksTest):
    def setUp(self):
        self.daemon = self.keep(Daemon("track", f"{ROOT}/Recordings/drive.nmea", "--stop-after", "20"))
        self.page = self.keep(Page(self.daemon.url))
        eventually(lambda: self.page.map().get("trailPoints"), "the page has the way")

    def test_everything_fits(self):
        self.assert_fits()

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()
