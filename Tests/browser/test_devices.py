"""The page of many devices in a browser, with a stand-in for the daemon."""
import itertools
import json
import math
import time

from devices_server import DevicesServer, entry
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from support import PAN, By, Page, PageTest, eventually


class DevicesTest(PageTest):
    def show(self, entries, settings=None, **options):
        server = self.keep(DevicesServer(entries, **(settings or {})))
        page = self.keep(Page(server.url, **options))
        eventually(lambda: page.status() == "live" and page.run("return document.getElementById('map').dataset.frames"),
                   "the page is live")
        return server, page

    def rows(self, page):
        return page.run("""
            return [...document.querySelectorAll("#device-rows .device-name")].map((name) => name.textContent);""")

    def enter(self, page, text):
        field = page.driver.find_element(By.ID, "search")
        field.clear()
        field.send_keys(text)

    def test_names_are_text_and_nothing_else(self):
        name = "<img src=x onerror=alert(1)>"
        server, page = self.show([[f"a/{name}", name, 1, 47, 8, time.time(), 3, None, 5, 90]])
        self.assertEqual(self.rows(page), [name])
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        eventually(lambda: page.text("device-title") == name, "its name")
        self.assertEqual(page.text("device-id"), f"a/{name}")
        self.assertEqual(page.run("return document.querySelectorAll('img').length"), 0)
        self.assertEqual(page.complaints(), [])

    def test_it_searches_and_sorts(self):
        now = time.time()
        entries = [["b/10", None, 1, 47.0, 8, now - 5, *[None] * 4], ["a/2", "Zoë", 1, 47.1, 8, now - 50, *[None] * 4],
                   ["b/9", None, 2, 46.0, 8, now - 500, *[None] * 4], ["c", None, 0, *[None] * 7]]
        server, page = self.show(entries)
        eventually(lambda: self.rows(page) == ["b/9", "b/10", "c", "Zoë"], "by name, numbers as numbers")
        self.assertEqual(page.text("device-count"), "4 devices")
        page.run("const order = document.getElementById('order'); order.value = 'age';"
                 "order.dispatchEvent(new Event('change'))")
        self.assertEqual(self.rows(page), ["b/10", "Zoë", "b/9", "c"], "the newest first, what was nowhere last")
        self.enter(page, "A/2")
        self.assertEqual(self.rows(page), ["Zoë"], "it is found by its identifier")
        self.assertEqual(page.text("device-count"), "1 of 4 devices")
        self.enter(page, "zo")
        self.assertEqual(self.rows(page), ["Zoë"])

    def test_a_stale_one_is_grey_and_what_changes_is_shown(self):
        one = ["a", None, 1, 47, 8, time.time(), 10, 400, 5, 90]
        server, page = self.show([one])
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        eventually(lambda: page.text("device-speed") == "36 km/h", "its speed")
        self.assertEqual(page.text("device-altitude"), "400 m")
        self.assertEqual(page.text("device-place"), "47.000000° N, 8.000000° E")
        page.run("document.querySelector('#device-rows li').dataset.pressed = 'yes'")
        server.show(["a", None, 2, *one[3:]])
        eventually(lambda: page.text("device-state") == "Stale", "it is stale")
        self.assertEqual(page.run("return document.querySelector('#device-rows li').dataset.pressed"), "yes",
                         "a click needs the same element from the press to the release")
        self.assertEqual(page.run("return document.querySelector('#device-rows li').className"), "stale active")
        self.assertEqual(page.text("status-detail"), "0 current, 1 stale, 0 searching")

    def test_it_follows_one_until_the_map_is_dragged(self):
        server, page = self.show([["a", None, 1, 47, 8, time.time(), *[None] * 4]])
        self.assertFalse(page.driver.find_element(By.ID, "follow").is_enabled())
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        page.click("follow")
        server.show(["a", None, 1, 47.5, 8.5, time.time(), *[None] * 4])
        eventually(lambda: abs(page.map()["latitude"] - 47.5) < 0.001, "the map has gone there")
        page.driver.execute_async_script(PAN)
        self.assertFalse(page.is_pressed("follow"))

    def test_the_trails_of_those_in_view(self):
        server, page = self.show([entry(number, 3) for number in range(3)])
        page.click("show-trails")
        eventually(lambda: page.map().get("trails") == 3, "three trails")
        self.assertEqual(page.complaints(), [])

    def test_devices_at_one_place_are_one_dot_with_their_number(self):
        now = time.time()
        same = [[f"s{number}", None, 1, 47.37 + number * 1e-7, 8.54, now, *[None] * 4] for number in range(10)]
        server, page = self.show(same + [entry(number, 143) for number in range(143)])
        dots = lambda: json.loads(page.run("return document.getElementById('map').dataset.dots"))
        page.driver.find_element(By.ID, "search").send_keys("s")
        for zoom in range(6):
            shown = dots()
            for one, other in itertools.combinations(shown, 2):
                sizes = [7 if it[2] == 1 else 13 + 3 * math.log10(it[2]) for it in (one, other)]
                self.assertGreater(math.dist(one[:2], other[:2]) + 1.5, sum(sizes), (zoom, one, other))
            frame = page.map()["frames"]
            page.driver.find_element(By.CSS_SELECTOR, ".leaflet-control-zoom-out").click()
            eventually(lambda: page.map()["frames"] > frame, "another zoom level")
        self.assertEqual(sum(count for *_, count in dots()), 152, "all but the one without a place")
        page.run("location.hash = 'device=s3'")
        eventually(lambda: any(count == 10 for *_, count in dots()), "ten at their place")
        for _ in range(9):
            page.run("document.querySelector('.leaflet-control-zoom-in').click()")
        eventually(lambda: page.map()["zoom"] == 20 and [10] == [count for *_, count in dots()], "ten at the deepest zoom level")
        # There a click chooses the next of them.
        page.point([page.map()["width"] / 2, page.map()["height"] / 2])
        ActionChains(page.driver).click().perform()
        eventually(lambda: page.text("device-title") != "s3", "another one")

    def test_an_outage_and_silence_are_not_healthy(self):
        now = time.time()
        server, page = self.show([["a", None, 1, 47, 8, now, *[None] * 4]])
        server.say({"outage": {"reason": "connection refused", "since": "2026-05-06T12:00:00.000Z"}})
        eventually(lambda: page.status() == "no-source", "the page says that nothing is received")
        self.assertRegex(page.text("status-detail"), r"^Since .*2026.*: connection refused\. 1 current")
        server.say({})
        eventually(lambda: page.status() == "live", "the broker is back")
        server.show(["a", None, 2, 47, 8, now, *[None] * 4])
        eventually(lambda: page.status() == "stale", "no device is current")

    def test_the_map_widens_until_it_is_moved(self):
        now = time.time()
        server, page = self.show([["a", None, 1, 47, 8, now, *[None] * 4]])
        before = page.map()["zoom"]
        server.show(["b", None, 1, 47.5, 8.5, now, *[None] * 4])
        zoom = eventually(lambda: page.map()["zoom"] < before and page.map()["zoom"], "both are in view")
        page.driver.execute_async_script(PAN)
        server.show(["c", None, 1, 57.5, 8.5, now, *[None] * 4])
        eventually(lambda: page.text("device-count") == "3 devices", "the third")
        time.sleep(0.5)
        self.assertEqual(page.map()["zoom"], zoom)

    def test_a_search_filters_the_map_as_well(self):
        server, page = self.show([["a", "Ann", 1, 47, 8, time.time(), *[None] * 4], ["b", "Ben", 1, 47.5, 8.5, time.time(), *[None] * 4]])
        eventually(lambda: page.map().get("singles") == 2, "both")
        self.enter(page, "ann")
        eventually(lambda: page.map()["singles"] == 1, "the found one")
        self.enter(page, "xyz")
        eventually(lambda: page.map()["singles"] == 0, "none")
        self.assertEqual(page.text("device-count"), "None of 2 devices has “xyz” in its name")

    def test_a_selection_survives_a_reload_and_is_a_link(self):
        now = time.time()
        server, page = self.show([["a/1 & +", None, 1, 47, 8, now, *[None] * 4], ["b", None, 1, 47.5, 8.5, now, *[None] * 4]])
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        eventually(lambda: page.run("return location.hash") == "#device=a%2F1%20%26%20%2B", "the address names it")
        page.driver.refresh()
        eventually(lambda: page.text("device-title") == "a/1 & +", "it is selected again")
        self.assertAlmostEqual(page.map()["latitude"], 47, places=3)
        page.run("location.hash = 'device=b'")
        eventually(lambda: page.text("device-title") == "b", "the other")
        page.click("unselect")
        eventually(lambda: page.run("return location.hash") == "", "none")

    def test_what_a_device_does_is_in_its_row(self):
        now = time.time()
        server, page = self.show([["a", None, 1, 47, 8, now, 10, None, 5, 90, 15, ["depot", "town"]]])
        detail = lambda: page.run("return document.querySelector('#device-rows small').textContent")
        eventually(lambda: "36 km/h · battery 15 % · in depot, town" in detail(), "its speed and its fences")
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        eventually(lambda: page.text("device-fence") == "in depot, town", "its fences")
        self.assertEqual(page.text("device-battery"), "15 %")
        page.run("const order = document.getElementById('order'); order.value = 'distance'; order.dispatchEvent(new Event('change'))")
        eventually(lambda: "0 m" in detail(), "its distance from the centre")

    def test_the_history_of_a_device(self):
        server, page = self.show([entry(number, 3) for number in range(3)], language="en-GB")
        page.driver.find_element(By.CSS_SELECTOR, "#device-rows li").click()
        visible = lambda name: page.run("return document.getElementById(arguments[0]).checkVisibility()", name)
        self.assertFalse(visible("chart"))
        page.run("document.querySelector('#device-past [data-hours]').click()")
        eventually(lambda: visible("chart"), "the chart")
        self.assertRegex(page.text("device-past-message"), r"^Last 12 h: [\d.]+ mi\.$")
        asked = server.asked[-1]
        self.assertRegex(asked["until"][0], r"^\d{4}-")
        page.driver.find_element(By.ID, "chart").send_keys(Keys.END)
        self.assertEqual(page.run("return document.querySelectorAll('path.chart-point').length"), 1)
        page.click("device-past-end")
        eventually(lambda: not visible("chart"), "no chart")
        self.assertEqual(page.text("device-past-message"), "")
        self.assertEqual(page.complaints(), [])

    def test_a_tapped_row_is_in_the_middle_of_the_map_on_a_phone(self):
        now = time.time()
        server, page = self.show([[f"d{number}", None, 1, 47 + number / 10, 8, now, *[None] * 4] for number in range(9)],
                                 width=390, height=844)
        row = page.driver.find_elements(By.CSS_SELECTOR, "#device-rows li")[5]
        page.run("arguments[0].scrollIntoView()", row)
        row.click()
        eventually(lambda: page.text("device-title") == "d5", "it is selected")
        self.assertAlmostEqual(page.map()["latitude"], 47.5, places=3)
        top, bottom = page.run("const { top, bottom } = document.getElementById('map').getBoundingClientRect(); return [top, bottom]")
        self.assertTrue(top >= 0 and bottom <= 844, f"the map is on the screen, {top} to {bottom}")

    def test_a_long_list_has_few_rows_and_the_keyboard_reaches_its_end(self):
        server, page = self.show([entry(number, 10_000) for number in range(10_000)])
        self.assertLess(len(self.rows(page)), 40)
        page.driver.find_element(By.ID, "device-list").send_keys(Keys.END, Keys.ARROW_UP, Keys.ENTER)
        eventually(lambda: page.text("device-title") == "user9998/phone", "the last but one by name")
        # The rate depends on the machine, which may have no graphics card; it is printed for a person.
        print(f"\n10,000 devices: {page.driver.execute_async_script(PAN):.0f} frames a second while the map is dragged")
        page.click("show-all")
        print(f"all of them in view: {page.driver.execute_async_script(PAN):.0f} frames a second")
        self.assertEqual(page.complaints(), [])
