// The trail, coloured by speed. Plain arrays and one canvas keep a hundred thousand points fluent.

import { canvasLayer, isOnMap, themeColour, worldX, worldY } from "./canvas.js";
import { speedScale } from "./speeds.js";

// A page that stays open for weeks drops its oldest points.
const limit = 150_000;
const dropped = 30_000;
// The number of points that are drawn with each new one; the older ones are on a canvas of their own.
const tail = 200;

/// `addTo(map)` draws it. `onScale(scale, shown)` is called when the meaning of the colours changes; `shown` says
/// whether some speeds are `known` and some `unknown`.
export function createTrail(L, onScale) {
  // A break is a NaN.
  let xs = [];
  let ys = [];
  let speeds = [];
  let times = [];
  let altitudes = [];
  let count = 0;
  // The number of points beyond the edge of the map, which are breaks.
  let beyond = 0;
  // The index of the first point on the canvas of the tail.
  let settled = 0;
  let bounds;
  let lastX;
  let greatest = 0;
  let isGrowing = false;
  let scale = speedScale(0);
  let shown = { known: false, unknown: false };

  function add(latitude, longitude, speed, time, altitude) {
    if (!isOnMap(latitude)) {
      beyond += 1;
      return addBreak();
    }
    // A trail across 180° continues there, and not at the other end of the world.
    const x = worldX(longitude);
    const around = x + Math.round((lastX ?? x) - x);
    lastX = around;
    xs.push(around);
    ys.push(worldY(latitude));
    speeds.push(speed ?? NaN);
    times.push(time ?? NaN);
    altitudes.push(altitude ?? NaN);
    count += 1;
    bounds.extend([latitude, (around - 0.5) * 360]);
    if (speed > greatest) greatest = speed;
  }

  function addBreak() {
    if (Number.isNaN(xs.at(-1) ?? NaN)) return;
    xs.push(NaN);
    ys.push(NaN);
    for (const list of [speeds, times, altitudes]) list.push(NaN);
  }

  /// Updates the scale; returns whether the meaning of the colours has changed.
  function rescale() {
    const next = speedScale(greatest, isGrowing);
    if (next.classes === scale.classes && next.step === scale.step) return false;
    scale = next;
    return true;
  }

  /// Notes which speeds there are from an index on. An edge without a known speed is grey.
  function note(start) {
    let { known, unknown } = shown;
    for (let index = start; index < xs.length; index += 1) {
      if (speeds[index] === speeds[index]) known = true;
      else if (index > 0 && xs[index] === xs[index] && xs[index - 1] === xs[index - 1]) unknown = true;
    }
    if (known === shown.known && unknown === shown.unknown) return false;
    shown = { known, unknown };
    return true;
  }

  /// Drops old points; returns whether there were any.
  function trim() {
    if (xs.length <= limit) return false;
    for (const list of [xs, ys, speeds, times, altitudes]) list.splice(0, dropped);
    count = xs.reduce((sum, x) => sum + (x === x ? 1 : 0), 0);
    return true;
  }

  /// The edges by the classes of their colours, without invisible ones; the last class is "unknown".
  function paths(view, start, end) {
    const all = Array.from({ length: scale.classes + 1 }, () => new Path2D());
    const margin = 8;
    const xOf = view.near(bounds.isValid() ? worldX(bounds.getCenter().lng) : 0.5);
    const side = (x, y) =>
      (x < -margin ? 1 : x > view.width + margin ? 2 : 0) | (y < -margin ? 4 : y > view.height + margin ? 8 : 0);
    let [x, y, from, drawing] = [NaN, NaN, 0, -1];
    for (let index = start; index < end; index += 1) {
      const [nextX, nextY] = [xOf(xs[index]), view.y(ys[index])];
      const isBreak = nextX !== nextX;
      const begins = x !== x;
      // A step of less than two pixels is merged into the next one, except at the end of a line.
      const isLast = index + 1 === end || xs[index + 1] !== xs[index + 1];
      if (!isBreak && !begins && !isLast && Math.abs(nextX - x) + Math.abs(nextY - y) < 2) continue;
      const to = side(nextX, nextY);
      const speed = speeds[index];
      const group = speed === speed ? scale.classOf(speed) : scale.classes;
      if (!isBreak && !begins && (from & to) === 0 && Math.abs(nextX - x) < view.size / 2) {
        if (drawing !== group) all[group].moveTo(x, y);
        all[group].lineTo(nextX, nextY);
        drawing = group;
      } else {
        drawing = -1;
      }
      [x, y, from] = [nextX, nextY, to];
    }
    return all;
  }

  function placeOf(x, y) {
    const turn = Math.PI * (1 - 2 * y);
    return { latitude: (Math.atan(Math.sinh(turn)) * 180) / Math.PI, longitude: (x - 0.5) * 360 };
  }

  function draw(context, view, start, end) {
    const all = paths(view, start, end);
    context.lineJoin = "round";
    // In one stroke, so that changes of colour are not darker. The tail's outline must not cover the line before it.
    const edge = new Path2D();
    for (const path of all) edge.addPath(path);
    context.lineCap = start > 0 ? "butt" : "round";
    context.strokeStyle = themeColour("--trail-edge");
    context.lineWidth = 7;
    context.stroke(edge);
    context.lineCap = "round";
    context.lineWidth = 4;
    all.forEach((path, group) => {
      context.strokeStyle = scale.colours[group] ?? themeColour("--quiet");
      context.stroke(path);
    });
  }

  const layers = [
    canvasLayer(L, "trail", 0.25, (context, view) => draw(context, view, 0, settled)),
    canvasLayer(L, "trail", 0, (context, view) => draw(context, view, Math.max(0, settled - 1), xs.length)),
  ];

  function redraw(isWhole) {
    if (isWhole) settled = xs.length;
    for (const layer of isWhole ? layers : layers.slice(1)) layer.schedule();
  }

  return {
    bounds: () => bounds,
    count: () => count,
    beyond: () => beyond,
    addTo: (map) => layers.forEach((layer) => layer.addTo(map)),

    /// The place of the trail that is nearest to a point on the screen, within `reach` pixels: one of its points if
    /// that is within `reach`, or else a place between two, with an interpolated time and the other values of the
    /// nearer point. `toPixels(latLng)` is the map's.
    nearest(latLng, toPixels, reach) {
      const pixels = toPixels(latLng);
      // A pixel's part of the world, which avoids projecting each point.
      const scale = Math.abs(toPixels(L.latLng(latLng.lat, latLng.lng + 1)).x - pixels.x) * 360;
      const limit = (reach / scale) ** 2;
      const y = worldY(latLng.lat);
      const middle = bounds.isValid() ? worldX(bounds.getCenter().lng) : 0.5;
      const x = worldX(latLng.lng) + Math.round(middle - worldX(latLng.lng));
      let [least, found, share] = [limit, undefined, 1];
      for (let index = 0; index < xs.length; index += 1) {
        const [toX, toY] = [xs[index], ys[index]];
        // A point after a break has no line that leads to it.
        const isFirst = index === 0 || Number.isNaN(xs[index - 1]);
        const [alongX, alongY] = isFirst ? [0, 0] : [toX - xs[index - 1], toY - ys[index - 1]];
        // The position along the line: 0 at its end, 1 at its beginning.
        const square = alongX ** 2 + alongY ** 2;
        const back = square > 0 ? Math.min(1, Math.max(0, ((toX - x) * alongX + (toY - y) * alongY) / square)) : 0;
        const distance = (toX - back * alongX - x) ** 2 + (toY - back * alongY - y) ** 2;
        if (distance <= least) [least, found, share] = [distance, index, back];
      }
      if (found === undefined) return undefined;
      const near = share > 0.5 ? found - 1 : found;
      const values = { speed: speeds[near], altitude: altitudes[near] };
      if ((xs[near] - x) ** 2 + (ys[near] - y) ** 2 <= limit) return { ...values, time: times[near], ...placeOf(xs[near], ys[near]) };
      const between = (list) => list[found] + share * (list[found - 1] - list[found]);
      return { ...values, time: between(times), ...placeOf(between(xs), between(ys)) };
    },

    /// Replaces all points: [[latitude, longitude, speed or null, time, altitude], null for a break, …]. While a trail grows,
    /// the meaning of its colours seldom changes.
    replace(points, grows = false) {
      isGrowing = grows;
      [xs, ys, speeds, times, altitudes] = [[], [], [], [], []];
      [count, beyond, greatest, lastX] = [0, 0, 0, undefined];
      bounds = L.latLngBounds([]);
      for (const point of points) {
        if (point) add(...point);
        else addBreak();
      }
      trim();
      rescale();
      shown = { known: false, unknown: false };
      note(0);
      onScale(scale, shown);
      redraw(true);
    },

    append(location, isAfterBreak) {
      if (isAfterBreak) addBreak();
      add(location.latitude, location.longitude, location.speed, Date.parse(location.time) / 1000, location.altitude);
      const isRescaled = rescale();
      if (note(xs.length - 1) || isRescaled) onScale(scale, shown);
      redraw(trim() || isRescaled || xs.length - settled > tail);
    },
  };
}
