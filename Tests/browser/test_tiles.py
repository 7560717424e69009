"""The map of a file with vector tiles, and of MBTiles with pictures."""
import gzip
import os
import tempfile

from selenium.webdriver.common.by import By

import vectortiles
from support import PAN, ROOT, Page, PageTest, epoch_at, eventually, replay
from tiles import PIXEL

CENTRE = (37.7858, -122.4064)
LINK = '<a href="https://maps.example/">© Mappers</a><script>no</script>'
# Keeps the texts that are written on canvases.
TEXTS = """
    window.texts = new Set();
    const fill = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
      window.texts.add(text);
      fill.call(this, text, ...rest);
    };"""


class TileTests(PageTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)

    def file(self, schema, kind, things=None, zooms=range(15), change=lambda tiles: tiles, **how):
        path = os.path.join(self.folder.name, f"{schema}.{kind}")
        if os.path.exists(path):
            os.remove(path)
        tiles = change(vectortiles.tiles(things or vectortiles.city(*CENTRE, radius=400), schema, zooms))
        getattr(vectortiles, kind)(path, tiles, LINK, **how)
        return path

    def open(self, path, centre=CENTRE, **look):
        self.daemon = self.keep(replay("--stale-after", "3600", "--map-tiles", path))
        self.daemon.feed(*(epoch_at(*centre, second) for second in (1, 2, 3)))
        page = self.keep(Page(self.daemon.url, script=TEXTS, **look))
        eventually(page.marker, "the map has a mark")
        return page

    def colour(self, page, x, y):
        """The colour of the tiles at a place in pixels from the centre of the map, and the name of the style's colour for it."""
        return page.run("""
            const map = document.getElementById("map").getBoundingClientRect();
            const [x, y] = [map.x + map.width / 2 + arguments[0], map.y + map.height / 2 + arguments[1]];
            for (const tile of document.querySelectorAll(".leaflet-vector-pane canvas.leaflet-tile-loaded")) {
              const box = tile.getBoundingClientRect();
              if (x < box.left || y < box.top || x >= box.right || y >= box.bottom) continue;
              const copy = Object.assign(document.createElement("canvas"), { width: tile.width, height: tile.height });
              const context = copy.getContext("2d");
              context.drawImage(tile, 0, 0);
              const pixel = [...context.getImageData(Math.floor(x - box.left), Math.floor(y - box.top), 1, 1).data].slice(0, 3);
              const names = ["ground", "water", "green", "built", "building", "road", "wood"];
              return names.find((name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
                === "#" + pixel.map((value) => value.toString(16).padStart(2, "0")).join("")) ?? String(pixel);
            }
            return null;""", x, y)

    def note(self, page):
        """The text in the corner of the map, whose element is another one after each change."""
        return page.run("return document.querySelector('.leaflet-control-attribution')?.innerText ?? ''")

    def zoom(self, page, to, direction):
        while page.map()["zoom"] != to:
            page.driver.find_element(By.CLASS_NAME, f"leaflet-control-zoom-{direction}").click()

    def test_a_city_of_each_schema_in_each_kind_of_file(self):
        for schema, kind in (("protomaps", "pmtiles"), ("openmaptiles", "mbtiles"), ("protomaps", "mbtiles"),
                             ("openmaptiles", "pmtiles"), ("protomaps3", "pmtiles")):
            for dark in (False, True):
                with self.subTest(schema=schema, kind=kind, dark=dark):
                    page = self.open(self.file(schema, kind), dark=dark)
                    eventually(lambda: self.colour(page, 0, 300) == "water", "the sea")
                    # A crossing of primary roads is in the centre.
                    self.assertEqual(self.colour(page, 15, 0), "road")
                    self.assertEqual(self.colour(page, 380, 182), "ground")
                    for name in ("Port Sample", "Oldtown", "Avenue 30", "Short Street 0", "Sample Bay"):
                        eventually(lambda: name in page.run("return [...texts]"), f"the name {name}")
                    attribution = page.driver.find_element(By.CLASS_NAME, "leaflet-control-attribution")
                    self.assertEqual(attribution.text, "© Mappersno")
                    self.assertEqual(attribution.find_element(By.TAG_NAME, "a").get_attribute("href"), "https://maps.example/")
                    self.assertEqual(page.complaints(), [])

    def test_it_is_sharp_where_the_map_is_deeper_than_the_file_and_takes_other_colours(self):
        page = self.open(self.file("protomaps", "pmtiles"))
        self.zoom(page, 20, "in")
        eventually(lambda: self.colour(page, 100, 0) == "road", "the road")
        # Those of the zoom levels before it are enlarged until these have come.
        eventually(lambda: page.run("""
            return [...document.querySelectorAll(".leaflet-vector-pane canvas")].every((it) =>
              it.width === 512 && it.getBoundingClientRect().width === 512);"""), "tiles with a pixel for each of the map's")
        # Between the road and the land there is the road's edge and nothing blurred.
        colours = [self.colour(page, 100, y) for y in range(5, 30)]
        self.assertLessEqual(sum(it not in ("road", "built") for it in colours), 4, colours)
        page.look(1280, 800, True)
        eventually(lambda: self.colour(page, 100, 0) == "road", "the road in the dark")
        page.look(1280, 800, False)
        self.zoom(page, 11, "out")
        eventually(lambda: self.colour(page, 0, 30) == "water", "the sea from afar")
        self.assertEqual(page.complaints(), [])

    def test_it_is_on_paper(self):
        page = self.open(self.file("protomaps", "pmtiles"), dark=True)
        eventually(lambda: self.colour(page, 15, 0) == "road", "the road")
        # The browser draws the paper after this event, and no frame before.
        self.assertGreaterEqual(page.run("""
            window.dispatchEvent(new Event("beforeprint"));
            return document.querySelectorAll(".leaflet-vector-pane canvas.leaflet-tile-loaded").length;"""), 4)
        page.run("window.dispatchEvent(new Event('afterprint'));")
        self.assertEqual(self.colour(page, 15, 0), "road")

    def test_a_damaged_tile_is_left_out(self):
        def damage(tiles):
            x, y = vectortiles.place(*CENTRE)
            side = vectortiles.WORLD >> 14
            tiles[14, int((x + 16) // side), int(y // side)] = gzip.compress(b"\x1a\xff\xff")
            return tiles
        page = self.open(self.file("protomaps", "pmtiles", change=damage))
        self.zoom(page, 14, "out")
        eventually(lambda: self.colour(page, 0, 80) == "water", "the sea from afar")
        eventually(lambda: "A tile of this map cannot be shown. (the tile ends too early)" in self.note(page), "the problem")
        self.zoom(page, 16, "in")
        loaded = "return document.querySelectorAll('.leaflet-vector-pane canvas.leaflet-tile-loaded').length"
        eventually(lambda: page.run(loaded) >= 4, "the other tiles")
        self.assertEqual(page.complaints(), [])

    def test_files_with_headers_that_are_wrong_or_unknown_are_drawn(self):
        # The upper left quarter of each tile is water.
        water = (47.4578, 8.5254)
        for name in ("62-root-only.pmtiles", "63-compression-unknown.pmtiles", "64-zlib.mbtiles"):
            with self.subTest(name):
                page = self.open(f"{ROOT}/Tests/Serving/MapPageTests/Files/{name}", water)
                eventually(lambda: self.colour(page, 0, 100) == "water", "the water")
                self.zoom(page, 10, "out")
                eventually(lambda: self.colour(page, 300, 0) == "ground", "the land")
                self.assertEqual(self.note(page), "own")
                self.assertEqual(page.complaints(), [])

    def test_rows_from_the_north_are_upright(self):
        page = self.open(self.file("openmaptiles", "mbtiles", scheme="xyz"))
        eventually(lambda: self.colour(page, 0, 300) == "water", "the sea in the south")
        self.assertEqual(self.colour(page, 380, 182), "ground")

    def test_tiles_that_cannot_be_read_are_said_once_on_the_page_and_in_the_log(self):
        # The vector tiles begin as zstd does, and the pictures are empty.
        for kind, data in (("pbf", b"\x28\xb5\x2f\xfd"), ("png", b"no picture")):
            with self.subTest(kind):
                path = os.path.join(self.folder.name, f"unreadable-{kind}.mbtiles")
                x, y = vectortiles.place(*CENTRE)
                vectortiles.mbtiles(path, {(zoom, int(x / (vectortiles.WORLD >> zoom)) + column, int(y / (vectortiles.WORLD >> zoom)) + row):
                                           data for zoom in (15, 16) for column in range(-3, 4) for row in range(-3, 4)}, LINK, kind)
                page = self.open(path)
                eventually(lambda: "A tile of this map cannot be shown" in self.note(page), "the problem")
                self.assertEqual(self.note(page).count("cannot be shown"), 1)
                with open(self.daemon.errors.name) as file:
                    problems = [line for line in file if "cannot be read: the file has a tile that is not a vector tile" in line]
                self.assertEqual(len(problems), 1 if kind == "pbf" else 0, problems)

    def test_the_layers_of_an_unknown_schema_are_named(self):
        path = os.path.join(self.folder.name, "unknown.mbtiles")
        x, y = vectortiles.place(*CENTRE)
        side = vectortiles.WORLD >> 14
        tile = gzip.compress(vectortiles.encoded({"streets": [(2, {"kind": "road"}, [[(0, 0), (4096, 4096)]])]}))
        vectortiles.mbtiles(path, {(14, int(x // side), int(y // side)): tile}, LINK)
        page = self.open(path)
        eventually(lambda: "cannot draw the layers streets: it knows those of Protomaps and OpenMapTiles" in self.note(page), "the layers")

    def test_pictures_of_a_database(self):
        path = os.path.join(self.folder.name, "pictures.mbtiles")
        x, y = vectortiles.place(*CENTRE)
        vectortiles.mbtiles(path, {(16, int(x // 256) + column, int(y // 256) + row): PIXEL
                                   for column in range(-3, 4) for row in range(-3, 4)}, LINK, "png")
        page = self.open(path)
        eventually(lambda: page.run("return document.querySelectorAll('img.leaflet-tile-loaded').length") >= 12, "the pictures")
        self.assertEqual(page.complaints(), [])

    def test_how_fast_a_dense_city_moves(self):
        # In view are some 3,000 buildings, and 1,600 roads and paths.
        page = self.open(self.file("protomaps", "pmtiles", vectortiles.city(*CENTRE, paths=4), range(13, 15)))
        eventually(lambda: self.colour(page, 15, 0) == "road", "the road")
        print(f"\na city: {page.driver.execute_async_script(PAN):.0f} frames a second while the map is dragged")
