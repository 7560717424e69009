"""The page's messages when something is missing, and its recovery."""
import itertools
import signal
import time

from support import GPSD, Daemon, Line, Page, PageTest, drive_epochs, eventually, free_port, replay, sentence, without_fix


class StatusTests(PageTest):
    def test_no_gpsd_no_fix_live_and_stale_are_told_apart(self):
        port = free_port()
        daemon = self.keep(Daemon("run", "--gpsd", f"127.0.0.1:{port}", "--stale-after", "2"))
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.status() == "no-source", "the page says that there is no gpsd")
        self.assertEqual(page.text("status-title"), "No gpsd")
        self.assertIn(str(port), page.text("status-detail"))

        epochs = itertools.cycle(drive_epochs()[60:])
        mode = "no fix"

        def send():
            epoch = next(epochs)
            return {"no fix": without_fix(epoch), "fix": epoch, "silence": ""}[mode]

        gpsd = self.keep(GPSD(port, send))
        eventually(lambda: page.status() == "no-fix", "the page says that there is no fix")
        self.assertEqual(page.text("status-title"), "No fix")
        self.assertIsNone(page.marker())
        mode = "fix"
        eventually(lambda: page.status() == "live", "the page is live")
        self.assertFalse(page.is_old())
        eventually(page.marker, "the map has a mark")

        # Grey after the limit plus a second of silence.
        mode = "silence"
        last = eventually(lambda: self.unchanged(page, "latitude"), "the last position")
        silent = time.monotonic()
        eventually(page.is_old, "the page turns grey", seconds=3)
        self.assertEqual(page.status(), "stale")
        self.assertLess(time.monotonic() - silent, 3)
        self.assertEqual(page.text("latitude"), last)
        eventually(lambda: page.text("age") == "4 s", "the age counts on")
        self.assertIn("4 s ago", page.text("status-detail"))

        mode = "fix"
        eventually(lambda: page.status() == "live", "the page is live again")
        mode = "no fix"
        eventually(lambda: page.status() == "no-fix", "the page says that the fix is lost")
        self.assertTrue(page.is_old())
        gpsd.end()
        eventually(lambda: page.status() == "no-source", "the page says that gpsd has gone")
        eventually(lambda: "No gpsd" in page.text("announcer"), "a screen reader hears it")
        self.assertEqual(page.complaints(), [])

    def test_what_needs_a_position_is_off_without_one(self):
        daemon = self.keep(replay())
        page = self.keep(Page(daemon.url))
        names = ["copy", "follow", "whole-trail"]
        eventually(lambda: not any(map(page.is_enabled, names)), "they are off")
        daemon.feed(*drive_epochs()[60:70])
        eventually(lambda: all(map(page.is_enabled, names)), "they are on")

    def test_a_replay_that_has_ended_keeps_its_trail(self):
        daemon = self.keep(replay())
        page = self.keep(Page(daemon.url))
        daemon.feed(*drive_epochs()[60:120])
        eventually(page.marker, "the map has a mark")
        count = eventually(lambda: page.map().get("trailPoints"), "the trail")
        daemon.process.stdin.close()
        daemon.process.wait(timeout=20)
        eventually(lambda: page.text("status-title") == "The replay has ended", "the page says so")
        time.sleep(1)
        self.assertEqual(page.text("status-title"), "The replay has ended")
        self.assertGreaterEqual(page.map()["trailPoints"], count)
        self.assertEqual(page.text("connection"), "standard input, ended")

    def test_a_daemon_that_has_died_is_not_connected(self):
        port = free_port()
        epochs = itertools.cycle(drive_epochs()[60:])
        self.keep(GPSD(port, lambda: next(epochs)))
        daemon = self.keep(Daemon("run", "--gpsd", f"127.0.0.1:{port}"))
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.text("connection").endswith(", connected"), "it is connected")
        daemon.end(signal.SIGKILL)
        eventually(lambda: page.text("status-title") == "No daemon", "the page says so")
        self.assertNotIn("connected", page.run("return document.body.innerText"))

    def unchanged(self, page, name):
        """A text that does not change for three of the receiver's seconds."""
        before = page.text(name)
        time.sleep(0.6)
        return before if page.text(name) == before else None

    def test_the_quality_of_the_fix_is_shown_as_far_as_it_is_known(self):
        daemon = self.keep(replay("--stale-after", "3600"))
        page = self.keep(Page(daemon.url))

        def epoch(second, quality, height, correction=","):
            return (
                sentence("GPGSV,2,1,07,04,40,083,46,05,17,308,41,09,07,344,39,12,22,228,45")
                + sentence("GPGSV,2,2,07,24,40,083,46,17,17,308,,21,07,344,")
                + sentence(f"GPGGA,1235{second}.00,4807.038,N,01131.000,E,{quality},08,0.9,{height},M,46.9,M,{correction}")
                + sentence("GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1")
                + sentence(f"GPRMC,1235{second}.00,A,4807.038,N,01131.000,E,022.4,084.4,230394,,"))

        daemon.feed(epoch(19, 4, 545.4, "1.5,0123"), epoch(20, 4, 545.9, "1.5,0123"))
        eventually(lambda: "RTK fixed" in page.text("status-detail"), "the status says that it is RTK")
        self.assertEqual(page.text("dilution"), "HDOP 1.3, VDOP 2.1, PDOP 2.5")
        self.assertEqual(page.text("correction"), "1.5 s old, station 123")
        eventually(lambda: page.text("climb") == "+0.5 m/s", "the climb")
        self.assertEqual(page.text("geoid"), "47 m")
        self.assertRegex(page.text("status-detail"), r"^3D fix, RTK fixed, 5 of 7 satellites used$")
        daemon.feed(epoch(21, 1, 545.9), epoch(22, 1, 545.9))
        eventually(lambda: "RTK" not in page.text("status-detail"), "the status says that it is RTK no more")
        self.assertEqual(page.text("correction"), "")
        self.assertFalse(page.run("return document.getElementById('correction-line').checkVisibility()"))

    def test_a_fix_in_doubt_is_marked(self):
        daemon = self.keep(replay("--stale-after", "3600"))
        page = self.keep(Page(daemon.url))

        def epoch(second, way):
            clock = f"12{second // 60:02}{second % 60:02}.00"
            place = f"480{7 + way * 0.0075:.4f},N,01131.0000,E"
            return (sentence(f"GPGGA,{clock},{place},1,08,0.7,500,M,46.9,M,,")
                    + sentence(f"GPRMC,{clock},A,{place},27.0,0.0,060526,,"))

        daemon.feed(*(epoch(second, 0) for second in range(60)))
        eventually(lambda: page.text("status-title") == "Replay, in doubt", "the title says that the fix is in doubt")
        self.assertEqual(page.text("doubts"), "it stands still with a speed, or the reverse")
        daemon.feed(*(epoch(second, second) for second in range(60, 140)))
        eventually(lambda: page.text("status-title") == "Replay", "the doubt is over")
        self.assertFalse(page.run("return document.getElementById('doubts-line').checkVisibility()"))
        self.assertEqual(page.complaints(), [])

    def test_one_satellite_is_one_and_a_small_accuracy_has_its_digits(self):
        daemon = self.keep(replay("--stale-after", "3600"))
        page = self.keep(Page(daemon.url))
        for second in range(2):
            daemon.feed(sentence(f"GPGGA,12351{second}.00,4807.038,N,01131.000,E,1,01,,10,M,46.9,M,,")
                        + sentence(f"GPRMC,12351{second}.00,A,4807.038,N,01131.000,E,022.4,084.4,230324,,")
                        + sentence(f"GPGBS,12351{second}.00,0.010,0.010,0.021,,,,"))
        eventually(lambda: page.text("status-detail").endswith(", 1 satellite used"), "one satellite")
        eventually(lambda: page.text("accuracy") == "± 0.014 m", "the accuracy")
        self.assertEqual(page.text("altitude-accuracy"), "± 0.021 m")
        british = self.keep(Page(daemon.url, language="en-GB"))
        eventually(lambda: british.text("accuracy") == "± 0.046 ft", "the accuracy in feet")

    def test_a_page_that_was_cut_off_gets_what_it_missed(self):
        epochs = drive_epochs()
        daemon = self.keep(replay("--stale-after", "3600"))
        daemon.feed(*epochs[60:100])
        line = self.keep(Line(daemon))
        page = self.keep(Page(line.url))
        eventually(page.marker, "the map has a mark")
        before = page.map()["trailPoints"]
        line.cut()
        eventually(lambda: page.status() == "no-daemon", "the page says that the daemon does not answer")
        daemon.feed(*epochs[100:160])
        last = eventually(lambda: len(daemon.records()) >= 99 and daemon.records()[-1], "the records")
        line.join()
        eventually(lambda: page.status() == "live", "the page is live again")
        eventually(lambda: page.text("latitude") == f"{last['latitude']:.6f}° N", "the page shows the last position")
        points = sum(1 for point in daemon.state()["trail"] if point)
        eventually(lambda: page.map()["trailPoints"] == points, f"the trail has all {points} points, and each once")
        self.assertGreater(points, before)

    def test_a_daemon_that_falls_silent_is_noticed(self):
        epochs = drive_epochs()
        daemon = self.keep(replay("--stale-after", "3600"))
        daemon.feed(*epochs[60:100])
        line = self.keep(Line(daemon))
        # This shortens the page's wait of 40 seconds to one.
        page = self.keep(Page(line.url, script="""
            {
                const { setTimeout } = window;
                window.setTimeout = (body, pause, ...more) =>
                    setTimeout(body, window.hurries && pause >= 30_000 ? pause / 40 : pause, ...more);
            }"""))
        eventually(lambda: page.status() == "live", "the page is live")
        page.run("window.hurries = true")
        before = page.text("latitude")
        line.silence()
        time.sleep(2)
        self.assertEqual(page.status(), "live", "nothing has been heard since it is to hurry")
        line.join()
        daemon.feed(*epochs[100:110])
        eventually(lambda: page.text("latitude") != before, "the page shows what came")
        line.silence()
        eventually(lambda: page.status() == "no-daemon", "the page says that the daemon does not answer", seconds=10)
        self.assertTrue(page.is_old())
        line.join()
        eventually(lambda: page.status() == "live", "the page is live again")

    def test_a_killed_daemon_comes_back(self):
        epochs = drive_epochs()
        daemon = self.keep(replay("--stale-after", "3600"))
        daemon.feed(*epochs[60:100])
        page = self.keep(Page(daemon.url))
        eventually(lambda: page.status() == "live" or page.status(), "the page is there")
        eventually(page.marker, "the map has a mark")
        before = page.text("latitude")
        self.assertEqual(page.complaints(), [])

        daemon.end(signal.SIGKILL)
        eventually(lambda: page.status() == "no-daemon", "the page says that the daemon has gone")
        self.assertTrue(page.is_old())
        self.assertEqual(page.text("latitude"), before)

        again = self.keep(replay("--stale-after", "3600", port=daemon.port))
        again.feed(*epochs[200:260])
        eventually(lambda: page.status() in ("live", "no-fix", "stale"), "the page has the daemon again", seconds=30)
        eventually(lambda: page.text("latitude") != before, "the page shows the new position")
        eventually(lambda: page.status() == "live", "the page is live")
        eventually(lambda: page.map()["trailPoints"] == sum(1 for point in again.state()["trail"] if point),
                   "the trail is the new one")
        # The browser logs each failed attempt to connect.
        self.assertEqual([line for line in page.complaints() if "/events" not in line], [])
