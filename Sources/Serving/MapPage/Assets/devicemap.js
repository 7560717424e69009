// The map of many devices: dots on one canvas, which are merged into one dot with a number where they would overlap,
// names where there is room, trails of the devices in view, and fences.

import { createBase, fitBetweenControls } from "./base.js";
import { canvasLayer, isOnMap, themeColour, worldX, worldY } from "./canvas.js";
import { drawFence } from "./fences.js";
import { states } from "./fleet.js";

const firstZoom = 16;
// In pixels: the radius of a dot, the side of a square whose devices are merged, and the tolerance of a finger.
const [radius, cell, reach] = [7, 56, 22];
// Limits of names and trails, beyond which a user could not distinguish them.
const [nameLimit, trailLimit] = [400, 20];

/// Longitudes of a trail without a step of more than half the world: across ±180° they continue.
function unwrapped(xs) {
  let last;
  return xs.map((x) => {
    if (Number.isNaN(x)) return x;
    last = last === undefined ? x : x - Math.round(x - last);
    return last;
  });
}

/// A trail on the square of the world, with NaN for gaps.
function lineOf(isOf, points) {
  return {
    isOf,
    xs: unwrapped(points.map((point) => (point && isOnMap(point[0]) ? worldX(point[1]) : NaN))),
    ys: points.map((point) => (point ? worldY(point[0]) : NaN)),
  };
}

/// Creates the map for a fleet. `onPick(index)` is called with the chosen device; `onMove()` when the map has moved.
export function createDeviceMap(L, state, fleet, { onPick, onMove, onDrag }) {
  const element = document.getElementById("map");
  const { map, graticule } = createBase(L, element, state.tiles);
  Object.assign(map.createPane("devices").style, { zIndex: 450, pointerEvents: "none" });
  // A device is drawn above the name of a fence.
  map.getPane("tooltipPane").style.zIndex = 440;
  const fences = L.layerGroup().addTo(map);
  let selected;
  let trails = new Map();
  // An earlier period of the selected device, and the point of it that the chart shows.
  let past;
  const mark = L.circleMarker([0, 0], { radius: 8, className: "chart-point", interactive: false });
  // The drawn dots by their places, for the pointer.
  let shown = [];

  /// Calls `body(index, x, y)` for each device in view.
  function forEachInView(view, body) {
    const margin = cell;
    for (let index = 0; index < fleet.count; index += 1) {
      const u = fleet.x[index];
      if (u !== u || fleet.hidden[index]) continue;
      const y = view.y(fleet.y[index]);
      if (y < -margin || y > view.height + margin) continue;
      const x = view.near(u)(u);
      if (x >= -margin && x <= view.width + margin) body(index, x, y);
    }
  }

  /// The contents of the view: single devices, and groups of devices that share a square. The squares are fixed to the
  /// world and not to the screen, so that groups do not change while the map is moved.
  function gather(view) {
    const squares = new Map();
    const across = view.size / cell;
    forEachInView(view, (index, x, y) => {
      if (index === selected) return;
      const key = Math.floor(fleet.y[index] * across) * 67_108_864 + Math.floor(fleet.x[index] * across);
      const group = squares.get(key);
      if (!group) return void squares.set(key, { index, x, y, count: 1, current: Number(fleet.states[index] === states.current), only: [index] });
      group.count += 1;
      group.x += x;
      group.y += y;
      group.current += Number(fleet.states[index] === states.current);
      if (group.only.length < 4) group.only.push(index);
    });
    return [...squares.values()];
  }

  function drawTrails(context, view) {
    context.lineJoin = "round";
    context.lineCap = "round";
    for (const { xs, ys, isOf } of [...trails.values(), ...(past ? [past] : [])]) {
      const path = new Path2D();
      let isBroken = true;
      // The copy of the world of the newest point, which the other points share.
      const across = view.near(xs.findLast((x) => !Number.isNaN(x)) ?? 0);
      for (let index = 0; index < xs.length; index += 1) {
        if (Number.isNaN(xs[index])) {
          isBroken = true;
          continue;
        }
        const [x, y] = [across(xs[index]), view.y(ys[index])];
        if (isBroken) path.moveTo(x, y);
        else path.lineTo(x, y);
        isBroken = false;
      }
      context.globalAlpha = isOf === selected ? 1 : 0.5;
      context.strokeStyle = colours.accent;
      context.lineWidth = isOf === selected ? 4 : 2.5;
      context.stroke(path);
    }
    context.globalAlpha = 1;
  }

  // Reading a style costs more than drawing a dot.
  let colours = {};
  let font = "";
  function readTheme() {
    colours = Object.fromEntries(
      ["accent", "on-accent", "old", "card", "ink", "line"].map((name) => [name, themeColour(`--${name}`)]));
    const size = 0.82 * parseFloat(getComputedStyle(document.documentElement).fontSize);
    font = `${size}px system-ui, sans-serif`;
  }
  readTheme();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    readTheme();
    layer.schedule();
  });

  function drawDot(context, index, x, y) {
    const isCurrent = fleet.states[index] === states.current;
    context.beginPath();
    const course = fleet.course[index];
    if (isCurrent && course === course && fleet.speed[index] > 0.5) {
      // The arrow points along the course.
      const turn = (course * Math.PI) / 180;
      const at = (angle, length) => [x + length * Math.sin(turn + angle), y - length * Math.cos(turn + angle)];
      context.moveTo(...at(0, 1.6 * radius));
      context.lineTo(...at(2.5, 1.3 * radius));
      context.lineTo(...at(Math.PI, 0.5 * radius));
      context.lineTo(...at(-2.5, 1.3 * radius));
      context.closePath();
    } else {
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.fillStyle = isCurrent ? colours.accent : colours.old;
    context.strokeStyle = index === selected ? colours.ink : "#fff";
    context.lineWidth = index === selected ? 4 : 2;
    context.stroke();
    context.fill();
  }

  function drawGroup(context, { x, y, count, current }) {
    const size = 13 + 3 * Math.log10(count);
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fillStyle = current > 0 ? colours.accent : colours.old;
    context.strokeStyle = "#fff";
    context.lineWidth = 2;
    context.fill();
    context.stroke();
    context.fillStyle = current > 0 ? colours["on-accent"] : colours.card;
    const text = count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
    context.fillText(text, x, y);
  }

  /// Writes names beside their dots, where they cover neither another name nor a dot.
  function writeNames(context, view, singles) {
    const height = 1.5 * parseFloat(font);
    const taken = shown.map(({ x, y, count }) => {
      const size = count === 1 ? radius : 18;
      return [x - size, y - size, x + size, y + size];
    });
    context.textAlign = "left";
    const named = new Set();
    for (const { index, x, y } of singles.slice(0, nameLimit)) {
      // The selected device is the first and the last.
      if (named.has(index)) continue;
      named.add(index);
      let text = fleet.title(index);
      if (text.length > 28) text = `${text.slice(0, 27)}…`;
      const width = context.measureText(text).width + 12;
      // To the right of the dot, or else to the left, below or above.
      const [aside, along] = [radius + 6 + width / 2, radius + 4 + height / 2];
      const box = [[aside, 0], [-aside, 0], [0, along], [0, -along]]
        .map(([across, down]) => [
          x + across - width / 2, y + down - height / 2, x + across + width / 2, y + down + height / 2,
        ])
        .find((place) => place[0] >= 0 && place[2] <= view.width && taken.every((other) =>
          place[0] >= other[2] || place[2] <= other[0] || place[1] >= other[3] || place[3] <= other[1]));
      if (!box) continue;
      taken.push(box);
      context.beginPath();
      context.roundRect(box[0], box[1], width, height, height / 2);
      context.fillStyle = colours.card;
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.fill();
      context.stroke();
      context.fillStyle = fleet.states[index] === states.current ? colours.ink : colours.old;
      context.fillText(text, box[0] + 6, (box[1] + box[3]) / 2);
    }
  }

  function draw(context, view) {
    drawTrails(context, view);
    context.font = font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    shown = [];
    const isDeepest = map.getZoom() >= map.getMaxZoom();
    const singles = [];
    for (const group of gather(view)) {
      // At the deepest zoom level devices at one place overlap; the list shows them all.
      if (group.count === 1 || (isDeepest && group.count <= 4)) {
        for (const index of group.only) singles.push({ index, x: group.x / group.count, y: group.y / group.count });
      } else {
        const one = { ...group, x: group.x / group.count, y: group.y / group.count };
        drawGroup(context, one);
        shown.push(one);
      }
    }
    if (selected !== undefined && !Number.isNaN(fleet.x[selected])) {
      const one = { index: selected, x: view.near(fleet.x[selected])(fleet.x[selected]), y: view.y(fleet.y[selected]) };
      // The first device gets its name first, and the last is drawn on top.
      singles.unshift(one);
      singles.push(one);
    }
    for (const { index, x, y } of singles) drawDot(context, index, x, y);
    shown.push(...singles.map((one) => ({ ...one, count: 1 })));
    writeNames(context, view, singles);
    element.dataset.singles = singles.length;
    element.dataset.frames = Number(element.dataset.frames ?? 0) + 1;
  }

  const layer = canvasLayer(L, "devices", 0, draw).addTo(map);

  map.on("click", ({ containerPoint }) => {
    let [best, least] = [undefined, reach];
    for (const one of shown) {
      const distance = Math.hypot(one.x - containerPoint.x, one.y - containerPoint.y);
      if (distance < least) [best, least] = [one, distance];
    }
    if (!best) return;
    if (best.count === 1) return onPick(best.index);
    map.setView(map.containerPointToLatLng([best.x, best.y]), Math.min(map.getZoom() + 2, map.getMaxZoom()));
  });
  map.on("dragstart", () => onDrag());
  map.on("keydown", ({ originalEvent }) => {
    if (originalEvent.key.startsWith("Arrow")) onDrag();
  });
  map.on("moveend zoomend", () => {
    const { lat, lng } = map.getCenter();
    Object.assign(element.dataset, { latitude: lat, longitude: lng, zoom: map.getZoom() });
    onMove();
  });

  function drawFences(list) {
    fences.clearLayers();
    for (const fence of list.filter(({ latitude }) => isOnMap(latitude))) {
      drawFence(L, fence, [fence.latitude, fence.longitude], "", fences);
    }
  }

  function showAll() {
    const bounds = L.latLngBounds([]);
    for (let index = 0; index < fleet.count; index += 1) {
      if (!Number.isNaN(fleet.x[index]) && !fleet.hidden[index]) bounds.extend([fleet.latitude[index], fleet.longitude[index]]);
    }
    for (const { latitude, longitude } of state.fences) if (!bounds.isValid()) bounds.extend([latitude, longitude]);
    if (bounds.isValid()) fitBetweenControls(map, bounds);
  }

  map.setView([25, 0], 2);
  drawFences(state.fences);
  showAll();

  return {
    map,
    showAll,
    schedule: () => layer.schedule(),
    center: () => map.getCenter(),
    select(index) {
      selected = index;
      layer.schedule();
    },
    /// Moves to a device, near enough to show it alone.
    moveTo(index, isNear) {
      if (Number.isNaN(fleet.x[index])) return;
      const zoom = isNear ? Math.max(map.getZoom(), firstZoom) : map.getZoom();
      // The device's values may just have taken room from the map.
      map.invalidateSize({ animate: false, pan: false });
      map.setView([fleet.latitude[index], fleet.longitude[index]], zoom, { animate: false });
    },
    /// The single devices in view, the selected one first, up to the limit of trails.
    inView() {
      const singles = new Set(shown.filter(({ count }) => count === 1).map(({ index }) => index));
      return [...singles].slice(0, trailLimit);
    },
    /// Shows an earlier period of the selected device, or nothing.
    showPast(points) {
      past = points && lineOf(selected, points);
      const bounds = L.latLngBounds([]);
      for (const point of points ?? []) if (point && isOnMap(point[0])) bounds.extend([point[0], point[1]]);
      if (bounds.isValid()) fitBetweenControls(map, bounds);
      layer.schedule();
    },
    /// Marks a point of that period, or removes the mark.
    mark(point) {
      if (point && isOnMap(point.latitude)) mark.setLatLng([point.latitude, point.longitude]).addTo(map);
      else mark.remove();
    },
    /// Trails by device: [[latitude, longitude, …], null for a gap, …].
    showTrails(lines) {
      trails = new Map([...lines].map(([isOf, points]) => [isOf, lineOf(isOf, points)]));
      element.dataset.trails = trails.size;
      layer.schedule();
      graticule?.schedule();
    },
  };
}
