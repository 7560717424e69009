// The map of many devices: dots on one canvas, which are one dot with a number where they would cover each other, names where
// there is room, trails of those in view, and fences.

import { createBase } from "./base.js";
import { canvasLayer, isOnMap, themeColour, worldX, worldY } from "./canvas.js";
import { states } from "./fleet.js";

const firstZoom = 16;
// Pixels: of a dot, of a square whose devices are one, and of what a finger hits.
const [radius, cell, reach] = [7, 56, 22];
// As many names and trails as somebody can tell apart.
const [nameLimit, trailLimit] = [150, 20];

/// Places of a way in which none is further from the one before than half the world: across ±180° it goes on.
function unwrapped(xs) {
  let last;
  return xs.map((x) => {
    if (Number.isNaN(x)) return x;
    last = last === undefined ? x : x - Math.round(x - last);
    return last;
  });
}

/// Makes the map for a fleet. `onPick(index)` is called with the device that was pointed at; `onMove()` when the map has moved.
export function createDeviceMap(L, state, fleet, { onPick, onMove, onDrag }) {
  const element = document.getElementById("map");
  const { map, graticule } = createBase(L, element, state.tiles);
  Object.assign(map.createPane("devices").style, { zIndex: 450, pointerEvents: "none" });
  // A device is more than the name of a fence.
  map.getPane("tooltipPane").style.zIndex = 440;
  const fences = L.layerGroup().addTo(map);
  let selected;
  let trails = new Map();
  // What is seen as one, by its place, for whoever points at it.
  let shown = [];

  /// Calls `body(index, x, y)` for each device that is seen.
  function forEachInView(view, body) {
    const margin = cell;
    for (let index = 0; index < fleet.count; index += 1) {
      const u = fleet.x[index];
      if (u !== u) continue;
      const y = view.y(fleet.y[index]);
      if (y < -margin || y > view.height + margin) continue;
      const x = view.near(u)(u);
      if (x >= -margin && x <= view.width + margin) body(index, x, y);
    }
  }

  /// What is seen: single devices, and groups of those that share a square. The squares lie on the world and not on the screen,
  /// so that groups stay as they are while the map is moved.
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
    for (const { xs, ys, isOf } of trails.values()) {
      const path = new Path2D();
      let isBroken = true;
      // Where the newest point is: the rest is in the same copy of the world.
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

  // Asking for a style costs more than drawing a dot.
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
      // An arrow along its course.
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

  /// Writes names beside their dots, each where neither another one nor a dot stands.
  function writeNames(context, view, singles) {
    const height = 1.5 * parseFloat(font);
    const taken = shown.map(({ x, y, count }) => {
      const size = count === 1 ? radius : 18;
      return [x - size, y - size, x + size, y + size];
    });
    context.textAlign = "left";
    for (const { index, x, y } of singles.slice(0, nameLimit)) {
      let text = fleet.title(index);
      if (text.length > 28) text = `${text.slice(0, 27)}…`;
      const width = context.measureText(text).width + 12;
      // Right of its dot, or left of it where the map ends.
      const right = x + radius + 6;
      const left = right + width > view.width ? x - radius - 6 - width : right;
      const box = [left, y - height / 2, left + width, y + height / 2];
      if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) continue;
      taken.push(box);
      context.beginPath();
      context.roundRect(box[0], box[1], width, height, height / 2);
      context.fillStyle = colours.card;
      context.strokeStyle = colours.line;
      context.lineWidth = 1;
      context.fill();
      context.stroke();
      context.fillStyle = fleet.states[index] === states.current ? colours.ink : colours.old;
      context.fillText(text, box[0] + 6, y);
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
      // Where nobody can come nearer, those of one place lie on each other; the list has them.
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
      // The first gets its name, and the last is on top.
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
    for (const { id, latitude, longitude, radius: metres } of list.filter((fence) => isOnMap(fence.latitude))) {
      const label = document.createElement("span");
      label.textContent = id;
      L.circle([latitude, longitude], { radius: metres, className: "fence", interactive: false }).addTo(fences);
      L.tooltip({ permanent: true, direction: "top", className: "fence-label" })
        .setLatLng([latitude + metres / 111_320, longitude]).setContent(label).addTo(fences);
    }
  }

  function showAll() {
    const bounds = L.latLngBounds([]);
    for (let index = 0; index < fleet.count; index += 1) {
      if (!Number.isNaN(fleet.x[index])) bounds.extend([fleet.latitude[index], fleet.longitude[index]]);
    }
    for (const { latitude, longitude } of state.fences) if (!bounds.isValid()) bounds.extend([latitude, longitude]);
    if (bounds.isValid()) map.fitBounds(bounds, { padding: [48, 48], maxZoom: firstZoom, animate: false });
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
    /// Moves to a device, near enough to see it alone.
    moveTo(index, isNear) {
      if (Number.isNaN(fleet.x[index])) return;
      const zoom = isNear ? Math.max(map.getZoom(), firstZoom) : map.getZoom();
      map.setView([fleet.latitude[index], fleet.longitude[index]], zoom, { animate: false });
    },
    /// Single devices in view, the selected one first, as many as trails are shown of.
    inView() {
      const singles = new Set(shown.filter(({ count }) => count === 1).map(({ index }) => index));
      return [...singles].slice(0, trailLimit);
    },
    /// Trails by device: [[latitude, longitude, …], null for a gap, …].
    showTrails(lines) {
      trails = new Map([...lines].map(([isOf, points]) => [isOf, {
        isOf,
        xs: unwrapped(points.map((point) => (point && isOnMap(point[0]) ? worldX(point[1]) : NaN))),
        ys: points.map((point) => (point ? worldY(point[0]) : NaN)),
      }]));
      element.dataset.trails = trails.size;
      layer.schedule();
      graticule?.schedule();
    },
  };
}
