"""The controls of a replay on the page."""
import re
import time

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from support import ROOT, Daemon, Page, PageTest, eventually


class ReplayTests(PageTest):
    def setUp(self):
        self.daemon = self.keep(Daemon("replay", f"{ROOT}/Recordings/drive.nmea", "--speed", "5"))
        self.page = self.keep(Page(self.daemon.url))
        eventually(self.page.marker, "the map has a mark")
        eventually(lambda: self.page.run("return !document.getElementById('replay-position').hidden"), "the length")

    def tearDown(self):
        self.assertEqual(self.page.complaints(), [])

    def replay(self):
        return self.daemon.state()["replay"]

    def press(self, key):
        ActionChains(self.page.driver).send_keys(key).perform()

    def is_paused(self):
        return self.page.text("status-title") == "Replay paused"

    def place(self):
        return self.page.text("latitude"), self.page.text("longitude"), self.page.text("replay-at")

    def ahead(self, seconds):
        self.page.driver.find_element(By.CSS_SELECTOR, f"[data-ahead='{seconds}']").click()

    def click_position(self, share):
        bar = self.page.driver.find_element(By.ID, "replay-position")
        ActionChains(self.page.driver).move_to_element_with_offset(
            bar, round((share - 0.5) * bar.size["width"]), 0).click().perform()

    def test_a_paused_replay_stands_still_and_goes_on_from_there(self):
        page = self.page
        self.ahead(60)
        eventually(lambda: self.replay()["position"] > 70, "the receiver moves")
        self.press(Keys.SPACE)
        eventually(self.is_paused, "the page says that the replay is paused")
        eventually(lambda: page.text("announcer").startswith("Replay paused."), "a screen reader hears it")
        eventually(lambda: page.text("latitude").startswith(f"{self.daemon.records()[-1]['latitude']:.6f}"), "the last fix")
        before = self.place()
        time.sleep(2)
        self.assertEqual(self.place(), before)
        self.assertFalse(page.is_old())
        self.assertTrue(page.text("connection").endswith(", paused"))
        page.driver.refresh()
        eventually(self.is_paused, "the page says it again")
        eventually(page.marker, "the map has a mark")
        self.assertEqual(self.place(), before)
        self.assertIn(page.text("age"), ["0 s", "1 s"], "the fix does not age")
        # A button takes the key itself.
        page.run("document.getElementById('replay-pause').focus()")
        self.press(Keys.SPACE)
        eventually(lambda: page.text("status-title") == "Replay", "the replay goes on")
        eventually(lambda: self.place()[0] != before[0], "the receiver moves")
        self.assertEqual(page.text("replay-pause"), "Pause")

    def test_a_replay_goes_ahead_and_back(self):
        page = self.page
        page.click("replay-pause")
        eventually(self.is_paused, "the page says that the replay is paused")
        start = self.replay()["position"]
        self.ahead(60)
        self.ahead(60)
        # The replay may have gone on for a moment.
        eventually(lambda: start + 120 <= self.replay()["position"] < start + 170, "it is two minutes ahead")
        self.assertTrue(self.replay()["paused"])
        eventually(lambda: re.match("[23] min", page.text("replay-at")), "the page says so")
        self.click_position(0.9)
        eventually(lambda: self.replay()["position"] > 0.88 * 719, "it is where the bar was clicked")
        trail = lambda: sum(1 for point in self.daemon.state()["trail"] if point)
        eventually(lambda: page.map()["trailPoints"] == trail(), "the page has the whole trail")
        records = eventually(lambda: len(self.daemon.records()) > 600 and self.daemon.records(), "the records")
        self.assertEqual(len({record["time"] for record in records}), len(records))
        whole = trail()
        self.click_position(0.5)
        eventually(lambda: abs(self.replay()["position"] - 360) < 30, "it is back where the bar was clicked")
        self.ahead(-60)
        eventually(lambda: abs(self.replay()["position"] - 300) < 30, "it is a minute before that")
        eventually(lambda: page.map()["trailPoints"] == trail(), "the page has the trail up to there")
        self.assertLess(trail(), 0.7 * whole)
        self.assertEqual(page.text("replay-message"), "")

    def test_the_speed_is_chosen(self):
        page = self.page
        speed = Select(page.driver.find_element(By.ID, "replay-speed"))
        self.assertEqual(speed.first_selected_option.text, "5 ×")
        speed.select_by_visible_text("0.5 ×")
        eventually(lambda: self.replay()["speed"] == 0.5, "the replay is slow")
        page.run("document.activeElement.blur()")
        # A second page learns it.
        other = self.keep(Page(self.daemon.url))
        eventually(lambda: other.run("return document.getElementById('replay-speed').value") == "0.5", "the speed")
        other.run("fetch('replay?speed=7', { method: 'POST' })")
        eventually(lambda: page.run("return document.getElementById('replay-speed').value") == "7", "a speed of its own")
        answer = page.driver.execute_async_script(
            "fetch('replay?seek=x', { method: 'POST' }).then((it) => it.text()).then(arguments[0])")
        self.assertTrue(answer.startswith("not an order"), answer)
        # The browser logs a refused order.
        page.complaints()
