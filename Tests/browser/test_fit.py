"""Every page in every width, text size and language with its longest values: no text leaves its box or covers another one."""
from devices_server import DevicesServer, stamp
from support import Page, PageTest, eventually

SIZES = [(320, 640), (360, 740), (390, 844), (768, 1024), (1024, 768), (1280, 800), (1920, 1080), (2560, 1440)]
LANGUAGES = ["en-IE", "de-DE", "fr-FR", "es-ES", "ja-JP"]
NOW = 1_777_600_000
LONG = "/dev/serial/by-id/usb-u-blox_AG_u-blox_GNSS_receiver-if00"
PLACE = {"latitude": -84.999999, "longitude": -179.999999}
TRAIL = [[-80 + step / 100, -179.9 + step / 50, None if step % 9 == 8 else step % 60, NOW + 20 * step, 3000 + 9 * step]
         for step in range(200)]
PAGE = {"page": "index.html", "history": True, "trail": TRAIL, "places": [], "region": None}
LIVE = {
    **PAGE, "fix": "current", "age": 3590, "source": {"name": LONG, "kind": "replay", "status": "connected", "message": ""},
    "replay": {"paused": False, "speed": 0.5, "position": 190_000, "length": 200_000},
    "location": {
        **PLACE, "speed": 52.2, "course": 313, "speedAccuracy": 27.7, "courseAccuracy": 179, "horizontalAccuracy": 9999,
        "altitude": -1234, "verticalAccuracy": 999, "time": stamp(NOW), "mode": 3, "status": "combinedDeadReckoning",
        "satellites": 38, "satellitesSeen": 48, "source": LONG, "climb": -123.4, "geoidSeparation": -106, "hdop": 99.9,
        "vdop": 99.9, "pdop": 99.9, "tdop": 99.9, "gdop": 99.9, "dgpsAge": 99.9, "dgpsStation": 1023,
        "doubts": "speed standstill date receivers signals receiver"},
    "trip": {"distance": 999_949, "duration": 3599}, "stop": {"duration": 172_000, "scatter": 99.4, "claimed": 99.4},
    "satellites": [{"system": system, "number": number, "azimuth": 30 * number, "elevation": 7 * number, "signal": 4 * number,
                    "used": number % 2 == 0}
                   for system in ("GPS", "GLONASS", "Galileo", "BeiDou", "QZSS", "SBAS", "NavIC") for number in range(12)],
    "fences": [{**PLACE, "id": f"{'a long name ' * 4}{state}", "radius": 500, "state": state}
               for state in ("inside", "outside", "unknown")]}
STOP = {"type": "stop", "arrival": stamp(NOW), "departure": stamp(NOW + 90_000), "duration": 90_000, **PLACE}
RECORDING = {
    **PAGE, "fix": "none", "fences": [], "source": {"name": LONG[5:] + ".nmea", "kind": "track", "status": "ended", "message": ""},
    "clock": [{"since": 0, "offset": -12_600, "name": "UTC-03:30"}, {"since": NOW + 2000, "offset": -9000, "name": "UTC-02:30"}],
    "summary": {
        "fixes": 123_456, "segments": 12, "gapTime": 3599, "gapDistance": 99_990, "jumps": 12, "start": stamp(NOW),
        "end": stamp(NOW + 400_000), "duration": 400_000, "distance": 999_940, "movingDistance": 888_880, "movingTime": 172_000,
        "stoppedTime": 3599, "silenceTime": 3599, "silenceDistance": 99_990, "averageSpeed": 52.2, "greatestSpeed": 277.7,
        "ascent": 9999, "descent": 9999, "lowestAltitude": -432, "highestAltitude": 8848,
        "fixesByStatus": [{"status": "combinedDeadReckoning", "count": 99_999}, {"status": "rtkFloat", "count": 9999}],
        "skipped": [{"kind": kind, "count": 999, "file": "drive.nmea", "line": 99_999}
                    for kind in ("damaged", "position", "time", "number", "text")],
        "names": [{"name": "From the North Cape to Tarifa"}, {"name": "Refuge du Goûter", **PLACE}],
        "parts": [{**STOP, "claimedAccuracy": 9.4, "scatter": 99.4, "accuracyDuration": 89_000},
                  {"type": "trip", "start": stamp(NOW), "end": stamp(NOW + 90_000), "duration": 90_000, "distance": 999_940,
                   "movingDistance": 888_880, "averageSpeed": 52.2}] * 12}}
DEVICE = ["fleet/an-identifier-that-is-rather-long", "Volkswagen Crafter Kastenwagen 12", 2, *PLACE.values(), NOW, 52.2, -1234, 9999, 313,
          12, ["Betriebshof Nord", "Zustellbezirk 12"]]

# The texts that leave their boxes, those that lie over another one, and the controls that are too small for a finger.
MISFITS = """
    const names = (it) => it.id || it.textContent.trim();
    const found = [];
    const items = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const [text, parent] = [texts.currentNode, texts.currentNode.parentElement];
        if (!text.data.trim() || !parent.checkVisibility({ visibilityProperty: true }) || parent.closest(".unseen, script, noscript, title, option")) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const line of range.getClientRects()) {
            let [left, right] = [line.left, line.right];
            for (let it = parent; it !== document.body; it = it.parentElement) {
                const style = getComputedStyle(it);
                if (it.closest("svg") || style.display === "contents" || style.display === "inline") continue;
                const box = it.getBoundingClientRect();
                // What lies on the map has no box around it.
                if (box.width === 0) break;
                const isCut = style.textOverflow === "ellipsis" || style.overflowX === "auto";
                if (isCut) [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
                if (left < box.left - 1.5 || right > box.right + 1.5) found.push(`${text.data} leaves ${it.id || it.className || it.nodeName}`);
            }
            // The line of a text is higher than its letters.
            const rise = 0.2 * line.height;
            if (right > left) items.push({ it: text, left, right, top: line.top + rise, bottom: line.bottom - rise });
        }
    }
    for (const it of document.querySelectorAll("button, select, input, summary, .legend, .leaflet-control-scale, .leaflet-bar a")) {
        const { left, right, top, bottom, width, height } = it.getBoundingClientRect();
        if (width === 0 || !it.checkVisibility()) continue;
        items.push({ it, left, right, top, bottom });
        if (it.matches("#copy, #coordinates, .tools button, .past button:not(.calendar-days *), .replay :is(button, select)") && height < 43.5)
            found.push(`${names(it)} is ${height} px high`);
    }
    items.forEach((one, place) => {
        for (const other of items.slice(place + 1)) {
            if (one.it === other.it || one.it.contains(other.it) || other.it.contains(one.it)) continue;
            if (one.left + 1 < other.right && other.left + 1 < one.right && one.top < other.bottom && other.top < one.bottom)
                found.push(`${names(one.it)} lies over ${names(other.it)}`);
        }
    });
    const mark = document.querySelector(".position")?.getBoundingClientRect();
    if (mark) for (const { it, left, right, top, bottom } of items) {
        const [x, y] = [mark.x + mark.width / 2, mark.y + mark.height / 2];
        if (it.matches?.(".tools *, .legend, .leaflet-control-scale, .leaflet-bar *") && left < x + 20 && right > x - 20 && top < y + 20 && bottom > y - 20)
            found.push(`${names(it)} covers the position`);
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
    return found;"""


class FitTests(PageTest):
    def assert_fits(self, entries, settings, is_ready, address="", before=""):
        server = self.keep(DevicesServer(entries, **settings))
        for text in (1, 2):
            page = self.keep(Page(server.url, text=text))
            page.run("localStorage.setItem('coordinates', 'minutes'); location.hash = arguments[0];", address)
            agent = page.run("return navigator.userAgent")
            for language in LANGUAGES:
                page.driver.execute_cdp_cmd("Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})
                page.driver.refresh()
                eventually(lambda: page.run(is_ready), "the page is ready")
                self.assertEqual(page.run("return document.documentElement.lang"), language[:2])
                page.run(before)
                for width, height in SIZES:
                    with self.subTest(language=language, width=width, text=text):
                        page.look(width, height, False)
                        eventually(lambda: not page.run(MISFITS), f"{page.run(MISFITS)}", seconds=2)
            self.assertEqual(page.complaints(), [])

    def test_a_replay(self):
        self.assert_fits([], LIVE, "return document.querySelector('.position') && document.querySelector('.fence-label')",
                         before="for (const it of document.querySelectorAll('details')) it.open = true;")

    def test_a_recording(self):
        self.assert_fits([], RECORDING, "return document.querySelector('#summary button') && document.querySelector('.chart-label')")

    def test_many_devices(self):
        settings = {"fences": LIVE["fences"], "outage": {"reason": "connection refused", "since": stamp(NOW)}}
        devices = [DEVICE, *([f"{number}", *DEVICE[1:]] for number in range(30))]
        self.assert_fits(devices, settings, "return document.querySelector('#device-rows li') && document.getElementById('device-title').textContent",
                         address=f"#device={DEVICE[0]}")
