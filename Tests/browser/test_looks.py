"""The page on a phone and on a desktop, light and dark, live and of a recording: axe reports nothing."""
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
    """A page, and the checks of every page."""

    def assert_accessible(self):
        axe = Axe(self.page.driver)
        axe.inject()
        for width, height, dark in LOOKS:
            with self.subTest(width=width, dark=dark, status=self.page.status()):
                self.page.look(width, height, dark)
                background = self.page.run("return getComputedStyle(document.body).backgroundColor")
                self.assertEqual(sum(map(int, background[4:-1].split(","))) < 300, dark)
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
        self.page = self.keep(Page(self.daemon.url))
        eventually(self.page.marker, "the map has a mark")
        self.page.click("replay-pause")
        eventually(lambda: self.page.status() == "paused", "the replay is paused")

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()


class TrackLooksTests(LooksTest):
    def setUp(self):
        self.daemon = self.keep(Daemon("track", f"{ROOT}/Recordings/drive.nmea", "--stop-after", "20"))
        self.page = self.keep(Page(self.daemon.url))
        eventually(lambda: self.page.map().get("trailPoints"), "the page has the way")

    @unittest.skipIf(Axe is None, "no axe-selenium-python")
    def test_axe_finds_nothing_serious(self):
        self.assert_accessible()
