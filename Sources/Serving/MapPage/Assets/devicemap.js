// The map of many devices: dots on one canvas, which are merged into one dot with a number where they would overlap,
// names where there is room, trails of the devices in view, and fences.

import { createBase, fitBetweenControls } from "./base.js";
import { canvasLayer, isOnMap, themeColour, worldX, worldY } from "./canvas.js";
import { drawFence, northOf } from "./fences.js";
import { states } from "./fleet.js";

const firstZoom = 16;
// In pixels: the radius of a dot, the side of a square whose devices are merged, and the tolerance of a finger.
const [radius, cell, reach] = [7, 56, 22];
// Limits of names and trails, beyond which a user could not distinguish them.
const [nameLimit, trailLimit] = [400, 20];
// The devices of one group that can be chosen at the deepest zoom level.
const listed = 50;

/// The radius of the dot of so many devices.
const sizeOf = (count) => (count === 1 ? radius : 13 + 3 * Math.log10(count));

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
  const fences = L.layerGroup().addTo(map);
  let selected;
  // Whether something other than this map's own views has moved it.
  let [isTouched, isOurMove] = [false, false];
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

  /// The contents of the view: single devices, and groups of devices whose dots would overlap. They begin as the devices
  /// of a square. The squares are fixed to the world and not to the screen, so that groups do not change while the map is
  /// moved.
  function gather(view) {
    const squares = new Map();
    const across = view.size / cell;
    forEachInView(view, (index, x, y) => {
      const key = Math.floor(fleet.y[index] * across) * 67_108_864 + Math.floor(fleet.x[index] * across);
      const group = squares.get(key);
      if (!group) return void squares.set(key, { index, x, y, count: 1, current: Number(fleet.states[index] === states.current), only: [index] });
      group.count += 1;
      group.x += x;
      group.y += y;
      group.current += Number(fleet.states[index] === states.current);
      if (group.only.length < listed || index === selected) group.only.push(index);
    });
    return merged([...squares.values()]);
  }

  /// Joins groups until no dot touches another one.
  function merged(groups) {
    const middle = ({ x, count }) => x / count;
    for (let isDone = false; !isDone;) {
      isDone = true;
      groups.sort((one, other) => middle(one) - middle(other));
      for (const [place, one] of groups.entries()) {
        for (let next = place + 1; one.count > 0 && next < groups.length; next += 1) {
          const other = groups[next];
          if (middle(other) - middle(one) > cell) break;
          const distance = Math.hypot(middle(other) - middle(one), other.y / other.count - one.y / one.count);
          if (other.count === 0 || distance > sizeOf(one.count) + sizeOf(other.count)) continue;
          for (const part of ["x", "y", "count", "current"]) other[part] += one[part];
          other.only.push(...one.only);
          one.count = 0;
          isDone = false;
        }
      }
      if (!isDone) groups = groups.filter(({ count }) => count > 0);
    }
    return groups;
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

  function drawGroup(context, { x, y, count, current, only }) {
    context.beginPath();
    context.arc(x, y, sizeOf(count), 0, 2 * Math.PI);
    context.fillStyle = current > 0 ? colours.accent : colours.old;
    const isSelected = only.includes(selected);
    context.strokeStyle = isSelected ? colours.ink : "#fff";
    context.lineWidth = isSelected ? 4 : 2;
    context.fill();
    context.stroke();
    context.fillStyle = current > 0 ? colours["on-accent"] : colours.card;
    const text = count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 9950 ? 1 : 0)}k`;
    context.fillText(text, x, y);
  }

  /// Writes names beside their dots, and then those of fences at their northern edges, where they cover neither another
  /// name nor a dot.
  function writeNames(context, view, singles) {
    const height = 1.5 * parseFloat(font);
    const taken = shown.map(({ x, y, count }) => {
      const size = sizeOf(count);
      return [x - size, y - size, x + size, y + size];
    });
    context.textAlign = "left";
    const edges = state.fences.map((fence) => {
      const { latitude, longitude } = northOf(fence);
      const u = worldX(longitude);
      return { fence: fence.id, x: view.near(u)(u), y: view.y(worldY(latitude)) };
    }).filter(({ x, y }) => x > 0 && y > 0 && x < view.width && y < view.height);
    for (const { index, fence, x, y } of [...singles.slice(0, nameLimit), ...edges]) {
      let text = fence ?? fleet.title(index);
      if (text.length > 28) text = `${text.slice(0, 27)}…`;
      const width = context.measureText(text).width + 12;
      // To the right of the dot, or else to the left, below or above; that of a fence on its edge or within it.
      const [aside, along] = [radius + 6 + width / 2, radius + 4 + height / 2];
      const box = (fence ? [[0, 0], [0, along]] : [[aside, 0], [-aside, 0], [0, along], [0, -along]])
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
      context.fillStyle = fence || fleet.states[index] === states.current ? colours.ink : colours.old;
      context.fillText(text, box[0] + 6, (box[1] + box[3]) / 2);
    }
  }

  function draw(context, view) {
    drawTrails(context, view);
    context.font = font;
    context.textAlign = "center";
    context.textBaseline = "middle";
    shown = [];
    const dots = gather(view).map((group) => ({ ...group, index: group.only[0], x: group.x / group.count, y: group.y / group.count }));
    const singles = dots.filter(({ count }) => count === 1);
    // The selected device gets its name first.
    singles.sort((one, other) => Number(other.index === selected) - Number(one.index === selected));
    for (const one of dots) if (one.count > 1) drawGroup(context, one);
    for (const { index, x, y } of singles) drawDot(context, index, x, y);
    shown = dots;
    writeNames(context, view, singles);
    // For tests, which cannot read a canvas.
    element.dataset.dots = JSON.stringify(dots.map(({ x, y, count }) => [Math.round(x), Math.round(y), count]).slice(0, 99));
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
    // Devices at one place are chosen in turn.
    if (map.getZoom() >= map.getMaxZoom()) return onPick(best.only[(best.only.indexOf(selected) + 1) % best.only.length]);
    map.setView(map.containerPointToLatLng([best.x, best.y]), Math.min(map.getZoom() + 2, map.getMaxZoom()));
  });
  map.on("dragstart", () => onDrag());
  map.on("keydown", ({ originalEvent }) => {
    if (originalEvent.key.startsWith("Arrow")) onDrag();
  });
  map.on("moveend zoomend", onMove);

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
    isOurMove = true;
    if (bounds.isValid()) fitBetweenControls(map, bounds);
    isOurMove = false;
  }

  map.on("movestart zoomstart", () => (isTouched ||= !isOurMove));
  map.setView([25, 0], 2);
  drawFences(state.fences);
  showAll();
  isTouched = false;

  return {
    map,
    showAll,
    /// Shows all devices as long as nothing has moved the map.
    widen: () => isTouched || showAll(),
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
    /// The selected device, wherever it is, and the single devices in view, up to the limit of trails.
    inView() {
      const singles = shown.filter(({ count }) => count === 1).map(({ index }) => index);
      return [...new Set([selected ?? [], singles].flat())].slice(0, trailLimit);
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
