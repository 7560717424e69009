// Reads and draws vector tiles beside the page, which goes on moving meanwhile.

import { readTile } from "./mvt.js";
import { drawShapes, layers, rankOf, styleOf } from "./vectorstyle.js";

// The side of a tile, in pixels of the map.
const side = 512;
const limit = 48;
// The tiles that have been read, the last used last.
const tiles = new Map();
const cancelled = new Set();
const canvas = new OffscreenCanvas(side, side);

/// The tile's paths by their style, its names with their places, and its layers if none of them is known. Nothing for a
/// tile that the file does not have.
async function load(url, language) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error((await answer.text()).trim());
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (bytes.length === 0) return undefined;
  const [paths, names, found] = [new Map(), [], new Set()];
  readTile(bytes, side, (layer, properties, type, shape) => {
    found.add(layer);
    const style = styleOf(layer, properties, type);
    const name = properties[`name:${language}`] ?? properties.name ?? properties["name:latin"];
    const rank = name ? rankOf(layer, properties, type) : undefined;
    if (style === undefined && rank === undefined) return;
    const lines = shape();
    if (rank !== undefined) names.push({ name: String(name), rank, lines });
    if (style === undefined) return;
    if (!paths.has(style)) paths.set(style, new Path2D());
    const path = paths.get(style);
    for (const line of lines) {
      path.moveTo(line[0], line[1]);
      for (let index = 2; index < line.length; index += 2) path.lineTo(line[index], line[index + 1]);
      if (type === 3) path.closePath();
    }
  });
  const isUnknown = found.size > 0 && ![...found].some((layer) => layers.has(layer));
  return { paths, names, unknown: isUnknown ? [...found].join(", ") : undefined };
}

function tileOf(url, language) {
  const tile = tiles.get(url) ?? load(url, language);
  tiles.delete(url);
  tiles.set(url, tile);
  if (tiles.size > limit) tiles.delete(tiles.keys().next().value);
  tile.catch(() => tiles.delete(url));
  return tile;
}

/// The part of a line from one place to another within the tile; undefined outside.
function within([x, y], [toX, toY]) {
  let [from, to] = [0, 1];
  for (const [start, step] of [[x, toX - x], [y, toY - y]]) {
    if (step === 0 && (start < 0 || start > side)) return undefined;
    if (step === 0) continue;
    from = Math.max(from, Math.min(-start / step, (side - start) / step));
    to = Math.min(to, Math.max(-start / step, (side - start) / step));
  }
  // Also for places that are no numbers.
  if (!(from < to)) return undefined;
  const [across, down, middle] = [toX - x, toY - y, (from + to) / 2];
  return { x: x + middle * across, y: y + middle * down, length: (to - from) * Math.hypot(across, down), across, down };
}

/// The places of the names within the tile: a point, or the middle of the longest straight piece of a road.
function placesOf(names, place) {
  const longest = new Map();
  const found = [];
  for (const { name, rank, lines } of names) {
    for (const line of lines) {
      const points = Array.from({ length: line.length / 2 }, (_, index) => place(line[2 * index], line[2 * index + 1]));
      if (rank < 8) {
        const [x, y] = points[0];
        if (x >= 0 && y >= 0 && x < side && y < side) found.push({ name, rank, x, y });
        continue;
      }
      let first = 0;
      for (let index = 1; index < points.length; index += 1) {
        const [[x, y], [nextX, nextY], [endX, endY]] = [points[first], points[first + 1], points[index + 1] ?? []];
        const [ahead, aside] = [
          (nextX - x) * (endX - points[index][0]) + (nextY - y) * (endY - points[index][1]),
          (nextX - x) * (endY - points[index][1]) - (nextY - y) * (endX - points[index][0]),
        ];
        // The road goes on in nearly the same direction.
        if (Math.abs(aside) < 0.15 * ahead) continue;
        const piece = within(points[first], points[index]);
        first = index;
        if (!piece || piece.length <= (longest.get(name)?.length ?? 0)) continue;
        // Read from left to right.
        const sign = piece.across < 0 ? -1 : 1;
        longest.set(name, { name, rank, ...piece, angle: Math.atan2(sign * piece.down, sign * piece.across) });
      }
    }
  }
  return [...found, ...longest.values()];
}

/// Draws the tile `x`, `y` of the map's zoom level, which is a part of the file's tile `deeper` levels above.
async function draw({ id, url, x, y, zoom, deeper, ratio, colours, language }) {
  const tile = await tileOf(url, language);
  if (!tile || cancelled.has(id)) return { id };
  const scale = 2 ** deeper;
  const [left, top] = [(x % scale) * side, (y % scale) * side];
  canvas.width = canvas.height = Math.round(side * ratio);
  const context = canvas.getContext("2d");
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(ratio * scale, 0, 0, ratio * scale, -left * ratio, -top * ratio);
  drawShapes(context, tile.paths, colours, zoom, 1 / scale);
  const count = 2 ** (zoom - 1);
  const names = placesOf(tile.names, (u, v) => [u * scale - left, v * scale - top])
    .map((name) => ({ ...name, x: (x + name.x / side) / count, y: (y + name.y / side) / count }));
  return { id, names, picture: canvas.transferToImageBitmap(), unknown: tile.unknown };
}

self.addEventListener("message", async ({ data }) => {
  if (data.cancels) return cancelled.add(data.id);
  const answer = await draw(data).catch((error) => ({ id: data.id, error: error.message }));
  self.postMessage(answer, answer.picture ? [answer.picture] : []);
  cancelled.delete(data.id);
});
