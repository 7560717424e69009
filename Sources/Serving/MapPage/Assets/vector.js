// The map of a file with vector tiles: a layer of tiles that a worker draws, and a layer of names above it.

import { canvasLayer, themeColour } from "./canvas.js";
import { say, words } from "./words.js";

const colours = [
  "ground", "water", "wood", "green", "sand", "ice", "built", "building", "edge", "road", "motorway", "path", "rail", "border",
];
// The names by the integer part of their rank: weight, size, colour, and the zoom levels from and before which they appear.
const looks = [
  [600, 0.76, "quiet", 0, 8], [600, 0.94, "ink", 0, 17], [600, 0.71, "quiet", 0, 9], [600, 0.82, "ink", 0, 17],
  [400, 0.82, "ink", 0, 30], [600, 0.71, "quiet", 0, 30], [400, 0.76, "quiet", 0, 30], [400, 0.71, "water-name", 0, 30],
  [400, 0.71, "quiet", 13, 30], [400, 0.65, "quiet", 15, 30],
];
// In pixels: the least distance between two equal names.
const apart = 240;

/// Writes the names for which there is room, the most important first.
function writeNames(context, view, names) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const zoom = view.map.getZoom();
  const [taken, written] = [[], []];
  const theme = new Map(["ink", "quiet", "water-name", "ground", "water", "road"].map((name) => [name, themeColour(`--${name}`)]));
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  for (const { name, rank, x, y, length, angle = 0 } of names.sort((one, other) => one.rank - other.rank)) {
    const [weight, size, colour, from, before] = looks[Math.floor(rank)];
    if (zoom < from || zoom >= before) continue;
    const [u, v] = [view.near(x)(x), view.y(y)];
    if (u < 0 || v < 0 || u > view.width || v > view.height) continue;
    const font = `${weight} ${size * rem}px system-ui, sans-serif`;
    if (context.font !== font) context.font = font;
    const width = context.measureText(name).width;
    if (length < width) continue;
    const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))];
    const [across, down] = [(width * cosine + size * rem * sine) / 2 + 3, (width * sine + size * rem * cosine) / 2 + 2];
    if (taken.some(([a, b, c, d]) => Math.abs(a - u) < c + across && Math.abs(b - v) < d + down)) continue;
    if (written.some((other) => other.name === name && Math.hypot(other.u - u, other.v - v) < apart)) continue;
    taken.push([u, v, across, down]);
    written.push({ name, u, v });
    context.save();
    context.translate(u, v);
    context.rotate(angle);
    context.fillStyle = theme.get(colour);
    context.strokeStyle = theme.get(colour === "water-name" ? "water" : length === undefined ? "ground" : "road");
    context.strokeText(name, 0, 0);
    context.fillText(name, 0, 0);
    context.restore();
  }
}

/// The layers of a file's vector tiles, for a map with the panes "vector" and "names". `report` gets problems in a sentence.
export function createVectorTiles(L, { url, minZoom, maxZoom }, deepest, report) {
  const worker = new Worker("vectorworker.js", { type: "module" });
  const waiting = new Map();
  const shown = new Map();
  const names = canvasLayer(L, "names", 0.25, (context, view) => writeNames(context, view, [...shown.values()].flat()));
  let count = 0;

  const Tiles = L.GridLayer.extend({
    createTile({ x, y, z }, done) {
      const tile = L.DomUtil.create("canvas");
      const id = (count += 1);
      // A tile of the file covers 512 pixels, twice as much as the squares that the map counts its zoom levels by.
      const deeper = Math.max(0, z - 1 - maxZoom);
      const values = { z: z - 1 - deeper, x: x >> deeper, y: y >> deeper };
      waiting.set(id, (answer) => {
        const { picture, error, unknown } = answer;
        if (error) report(`${words.tileFailed} (${error})`);
        if (unknown) report(say(words.unknownLayers, unknown));
        if (picture) {
          Object.assign(tile, { width: picture.width, height: picture.height });
          tile.getContext("bitmaprenderer").transferFromImageBitmap(picture);
          shown.set(tile, answer.names);
          names.schedule();
        }
        done(error && new Error(error), tile);
      });
      tile.cancel = () => waiting.delete(id) && worker.postMessage({ id, cancels: true });
      worker.postMessage({
        id, url: L.Util.template(url, values), x, y, zoom: z, deeper, ratio: window.devicePixelRatio || 1,
        language: navigator.language.slice(0, 2),
        colours: Object.fromEntries(colours.map((name) => [name, themeColour(`--${name}`)])),
      });
      return tile;
    },

    /// Draws with other colours.
    schedule() {
      this.redraw();
    },
  });
  worker.addEventListener("message", ({ data }) => {
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  const tiles = new Tiles({ pane: "vector", tileSize: 512, minZoom: minZoom + 1, maxZoom: deepest });
  tiles.on("tileunload", ({ tile }) => {
    tile.cancel();
    shown.delete(tile);
    names.schedule();
  });
  return L.layerGroup([tiles, names]);
}
