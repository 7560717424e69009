// The world beneath every map: land, borders, large lakes, and the names of countries and towns. They are Natural Earth's;
// Scripts/world makes their file and describes it.

import { canvasLayer, themeColour } from "./canvas.js";

// The file's coordinates are on a square of this size.
const units = 2 ** 16;
// In pixels: how far a drawn line continues beyond the edges of the canvas, so that its ends are invisible.
const margin = 16;
// Between these zoom levels the coasts fade away: they are wrong by kilometres, which is ten pixels at the last one.
const [fadesFrom, isGoneAt] = [7, 8.5];

async function read() {
  const bytes = new Uint8Array(await (await fetch("world.bin")).arrayBuffer());
  const text = new TextDecoder();
  // Behind the line that names the source.
  let at = bytes.indexOf(10) + 1;
  let [x, y] = [0, 0];

  function number() {
    let [value, shift] = [0, 0];
    for (;;) {
      const byte = bytes[at++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
      shift += 7;
    }
  }

  function move() {
    const [across, down] = [number(), number()];
    x += across & 1 ? -(across >> 1) : across >> 1;
    y += down & 1 ? -(down >> 1) : down >> 1;
  }

  function lines() {
    return Array.from({ length: number() }, () => {
      const count = number();
      const [xs, ys] = [new Float64Array(count), new Float64Array(count)];
      for (let index = 0; index < count; index += 1) {
        move();
        [xs[index], ys[index]] = [x / units, y / units];
      }
      const least = (list) => list.reduce((one, other) => Math.min(one, other));
      const most = (list) => list.reduce((one, other) => Math.max(one, other));
      return { xs, ys, left: least(xs), right: most(xs), top: least(ys), bottom: most(ys) };
    });
  }

  function names() {
    return Array.from({ length: number() }, () => {
      move();
      const [size, length] = [number() / units, number()];
      at += length;
      return { x: x / units, y: y / units, size, name: text.decode(bytes.subarray(at - length, at)) };
    });
  }

  const [land, borders, lakes] = [lines(), lines(), lines()];
  return { land, borders, lakes, countries: names(), towns: names() };
}

/// The part of a closed line on one side of an edge of the view; `beyond(point)` is how far a point is outside.
function clipped(points, beyond) {
  const result = [];
  let before = points.at(-1);
  let out = before && beyond(before);
  for (const point of points) {
    const next = beyond(point);
    if (out > 0 !== next > 0) {
      const share = out / (out - next);
      result.push([before[0] + share * (point[0] - before[0]), before[1] + share * (point[1] - before[1])]);
    }
    if (next <= 0) result.push(point);
    [before, out] = [point, next];
  }
  return result;
}

/// Adds the visible part of a line to a path, in every visible copy of the world.
function add(path, line, view, isClosed) {
  const { width, height, size, left, top } = view;
  if (line.bottom * size < top - margin || line.top * size > top + height + margin) return;
  // A line of less than a pixel is invisible.
  if ((line.right - line.left) * size < 1 && (line.bottom - line.top) * size < 1) return;
  const first = Math.ceil((left - margin) / size - line.right);
  const last = Math.floor((left + width + margin) / size - line.left);
  for (let copy = first; copy <= last; copy += 1) {
    const corner = left - copy * size;
    let points = [];
    let [lastX, lastY] = [NaN, NaN];
    for (let index = 0; index < line.xs.length; index += 1) {
      const [x, y] = [line.xs[index] * size - corner, line.ys[index] * size - top];
      // A step of less than a pixel is merged into the next one.
      if (Math.abs(x - lastX) + Math.abs(y - lastY) < 1 && index + 1 < line.xs.length) continue;
      points.push([x, y]);
      [lastX, lastY] = [x, y];
    }
    if (isClosed) {
      const isInside = line.left * size >= corner && line.right * size <= corner + width && line.top * size >= top
        && line.bottom * size <= top + height;
      const edges = isInside ? [] : [
        ([x]) => -margin - x, ([x]) => x - width - margin, ([, y]) => -margin - y, ([, y]) => y - height - margin,
      ];
      for (const beyond of edges) points = clipped(points, beyond);
    }
    points.forEach(([x, y], index) => (index === 0 ? path.moveTo(x, y) : path.lineTo(x, y)));
    if (isClosed && points.length > 0) path.closePath();
  }
}

function pathOf(lines, view, isClosed) {
  const path = new Path2D();
  for (const line of lines) add(path, line, view, isClosed);
  return path;
}

/// Writes the names for which there is room, the most important first.
function writeNames(context, view, { countries, towns }) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const taken = [];
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = themeColour("--ground");

  /// Writes a name right or left of a place, or at it.
  function write({ x, y, name }, height, isTown) {
    const [u, v] = [view.near(x)(x), view.y(y)];
    if (u < 0 || v < 0 || u > view.width || v > view.height) return;
    const width = context.measureText(name).width;
    for (const left of isTown ? [u + 6, u - 6 - width] : [u - width / 2]) {
      const box = [left - 4, v - height / 2, left + width + 4, v + height / 2];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push([Math.min(box[0], u - 6), box[1], Math.max(box[2], u + 6), box[3]]);
      context.strokeText(name, left, v);
      context.fillText(name, left, v);
      if (!isTown) return;
      context.beginPath();
      context.arc(u, v, 2, 0, 2 * Math.PI);
      context.fill();
      return;
    }
  }

  const zoom = view.map.getZoom();
  context.textBaseline = "middle";
  context.fillStyle = themeColour("--quiet");
  context.font = `600 ${0.71 * rem}px system-ui, sans-serif`;
  // A country is named while most of its name is within it.
  for (const one of zoom < 8 ? countries : []) {
    if (one.size * view.size > 0.8 * context.measureText(one.name).width) write(one, rem, false);
  }
  context.fillStyle = themeColour("--ink");
  context.font = `${0.71 * rem}px system-ui, sans-serif`;
  const count = Math.round(3 * 2.2 ** zoom);
  for (const one of zoom < 3 ? [] : towns.slice(0, count)) write(one, rem, true);
}

/// Creates the layer. Until the file has come, it is empty.
export function createWorld(L) {
  let world;
  const layer = canvasLayer(L, "world", 0.25, (context, view) => {
    if (!world) return;
    const zoom = view.map.getZoom();
    if (zoom < isGoneAt) {
      context.globalAlpha = Math.min(1, (isGoneAt - zoom) / (isGoneAt - fadesFrom));
      const sea = pathOf(world.land, view, true);
      sea.rect(0, 0, view.width, view.height);
      context.fillStyle = themeColour("--water");
      context.fill(sea, "evenodd");
      context.fill(pathOf(world.lakes, view, true));
      context.strokeStyle = themeColour("--border");
      context.lineWidth = 1;
      context.stroke(pathOf(world.borders, view, false));
    }
    context.globalAlpha = 1;
    writeNames(context, view, world);
  });
  read().then((value) => {
    world = value;
    layer.schedule();
  }).catch(() => {});
  return layer;
}
