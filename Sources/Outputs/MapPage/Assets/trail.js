// The way that was gone, coloured by speed. Plain arrays and one canvas, so that a hundred thousand points stay fluent.

import { canvasLayer, themeColour, worldX, worldY } from "./canvas.js";
import { speedScale } from "./speeds.js";

// A page that stays open for weeks lets the oldest points go.
const limit = 150_000;
const dropped = 30_000;

/// `layer` is for the map; `onScale(scale)` is called when the colours get another meaning.
export function createTrail(L, onScale) {
  // A break is a point that is not a number.
  let xs = [];
  let ys = [];
  let speeds = [];
  let count = 0;
  let bounds;
  let greatest = 0;
  let scale = speedScale(0);

  function add(latitude, longitude, speed) {
    xs.push(worldX(longitude));
    ys.push(worldY(latitude));
    speeds.push(speed ?? NaN);
    count += 1;
    bounds.extend([latitude, longitude]);
    if (speed > greatest) greatest = speed;
  }

  function addBreak() {
    xs.push(NaN);
    ys.push(NaN);
    speeds.push(NaN);
  }

  function rescale() {
    const next = speedScale(greatest);
    if (next.classes === scale.classes && next.step === scale.step) return;
    scale = next;
    onScale(scale);
  }

  function trim() {
    if (xs.length <= limit) return;
    for (const list of [xs, ys, speeds]) list.splice(0, dropped);
    count = xs.reduce((sum, x) => sum + (x === x ? 1 : 0), 0);
  }

  /// The edges in the classes of their colours, without those that nobody would see; the last class is "unknown".
  function paths(view) {
    const all = Array.from({ length: scale.classes + 1 }, () => new Path2D());
    const margin = 8;
    const side = (x, y) =>
      (x < -margin ? 1 : x > view.width + margin ? 2 : 0) | (y < -margin ? 4 : y > view.height + margin ? 8 : 0);
    let [x, y, from, drawing] = [NaN, NaN, 0, -1];
    for (let index = 0; index < xs.length; index += 1) {
      const [nextX, nextY] = [view.x(xs[index]), view.y(ys[index])];
      const isBreak = nextX !== nextX;
      const begins = x !== x;
      // A step of less than a pixel waits for the next one, but for the last step of a line.
      const isLast = index + 1 === xs.length || xs[index + 1] !== xs[index + 1];
      if (!isBreak && !begins && !isLast && Math.abs(nextX - x) + Math.abs(nextY - y) < 1) continue;
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

  function draw(context, view) {
    const all = paths(view);
    context.lineCap = "round";
    context.lineJoin = "round";
    context.strokeStyle = themeColour("--trail-edge");
    context.lineWidth = 7;
    for (const path of all) context.stroke(path);
    context.lineWidth = 4;
    all.forEach((path, group) => {
      context.strokeStyle = scale.colours[group] ?? themeColour("--quiet");
      context.stroke(path);
    });
  }

  const layer = canvasLayer(L, "trail", draw);

  return {
    layer,
    bounds: () => bounds,
    count: () => count,

    /// Takes the place of everything: [[latitude, longitude, speed or null, …], null for a break, …].
    replace(points) {
      [xs, ys, speeds, count, greatest] = [[], [], [], 0, 0];
      bounds = L.latLngBounds([]);
      for (const point of points) {
        if (point) add(point[0], point[1], point[2] ?? undefined);
        else addBreak();
      }
      trim();
      rescale();
      onScale(scale);
      layer.schedule();
    },

    append(location, isAfterBreak) {
      if (isAfterBreak && count > 0) addBreak();
      add(location.latitude, location.longitude, location.speed);
      trim();
      rescale();
      layer.schedule();
    },
  };
}
