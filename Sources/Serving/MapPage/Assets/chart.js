// Speed and altitude over time, under the map. Pointing at the chart moves a mark along the trail.

import * as units from "./units.js";
import { say, words } from "./words.js";

// Seconds without a point that make a gap. A gap is as narrow as a fiftieth of the rest, however long it lasts.
const gap = 300;
// In seconds: the steps of the axis of time.
const timeSteps = [60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];
const svgNamespace = "http://www.w3.org/2000/svg";

/// The points with a time, each with its place `at` on the axis and whether the line is broken before it.
function along(trail) {
  const points = [];
  let isAfterBreak = true;
  for (const point of trail) {
    if (!point || point[3] === null) {
      isAfterBreak = true;
      continue;
    }
    const [latitude, longitude, speed, time, altitude] = point;
    const pause = points.length > 0 ? time - points.at(-1).time : 0;
    points.push({ latitude, longitude, speed, altitude, time, pause, isAfterBreak: isAfterBreak || pause > gap });
    isAfterBreak = false;
  }
  const isGap = ({ pause, isAfterBreak }) => isAfterBreak || pause < 0;
  const moving = points.reduce((sum, point) => sum + (isGap(point) ? 0 : point.pause), 0);
  let at = 0;
  for (const point of points) {
    at += isGap(point) ? Math.min(Math.abs(point.pause), moving / 50) : point.pause;
    point.at = at;
  }
  return points;
}

/// The smallest of 1, 2, 5, 10, 20, … that divides a span into at most four parts.
function roundStep(span) {
  const power = 10 ** Math.floor(Math.log10(span / 4));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => span / step <= 4);
}

/// The stops with known times, each with its part of the axis.
function stopsAlong(points, places) {
  /// The place of a time on the axis, interpolated between two points.
  function at(time) {
    const next = points.findIndex((point) => point.time >= time);
    if (next <= 0) return next < 0 ? points.at(-1).at : points[0].at;
    const [from, to] = [points[next - 1], points[next]];
    return to.time > from.time ? from.at + ((time - from.time) / (to.time - from.time)) * (to.at - from.at) : to.at;
  }
  const stops = (places ?? []).filter(({ kind, time }) => kind === "stop" && time !== undefined);
  return points.length === 0 ? [] : stops.map(({ name, time, duration }) => (
    { name, duration, start: at(time), end: at(time + duration) }));
}

/// Creates the chart in `#chart`. `onPoint(point)` gets the point of the trail that the user points at, or undefined;
/// `onStop(name)` gets the name of a stop that the user chooses. The result has `show(trail, places)`, which takes the
/// points of the trail and the places of a recording, or nothing.
export function createChart(onPoint, onStop) {
  const figure = document.getElementById("chart");
  const svg = figure.querySelector("svg");
  const readout = document.getElementById("chart-readout");
  let points = [];
  let stops = [];
  let selected;

  const fontSize = () => 0.71 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  // Below the lines is the axis of time.
  const size = () => ({ width: svg.clientWidth, height: svg.clientHeight - 1.3 * fontSize() });
  const length = () => points.at(-1).at || 1;

  function shape(name, attributes) {
    const element = document.createElementNS(svgNamespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  /// A path through the values of one kind, with the greatest value for each pixel.
  function path(value, y, bottom) {
    const { width } = size();
    const pieces = [];
    let piece;
    for (const point of points) {
      const amount = value(point);
      if (amount === null || amount === undefined) {
        piece = undefined;
        continue;
      }
      if (point.isAfterBreak || !piece) pieces.push((piece = []));
      const x = Math.round((point.at / length()) * width);
      const last = piece.at(-1);
      if (last?.x === x) last.amount = Math.max(last.amount, amount);
      else piece.push({ x, amount });
    }
    return pieces.map((piece) => {
      const line = piece.map(({ x, amount }) => `${x} ${y(amount).toFixed(1)}`).join("L");
      return bottom === undefined ? `M${line}` : `M${piece[0].x} ${bottom}L${line}L${piece.at(-1).x} ${bottom}Z`;
    }).join("");
  }

  function draw() {
    svg.replaceChildren();
    const { width, height } = size();
    if (points.length < 2 || width <= 0 || height <= 0) return;
    svg.setAttribute("viewBox", `0 0 ${width} ${svg.clientHeight}`);
    const speeds = points.map(({ speed }) => speed).filter((speed) => speed !== null);
    const altitudes = points.map(({ altitude }) => altitude).filter((altitude) => Number.isFinite(altitude));
    const least = (list) => list.reduce((one, other) => Math.min(one, other));
    const most = (list) => list.reduce((one, other) => Math.max(one, other));
    const legend = [];
    const x = (at) => (at / length()) * width;
    for (const { start, end } of stops) {
      svg.append(shape("rect", { class: "chart-stop", x: x(start), y: 0, width: Math.max(3, x(end) - x(start)), height }));
    }
    if (speeds.length > 0) {
      const top = Math.max(most(speeds), 1);
      svg.append(shape("path", { class: "chart-speed", d: path(({ speed }) => speed, (it) => height * (1 - it / top), height) }));
      const { factor } = units.speedUnit;
      drawScale(0, top * factor, (value) => height * (1 - value / factor / top), "start", units.speedUnit.name);
      const { value, unit } = units.speed(top);
      legend.push(["speed", say(words.speedTo, `${value} ${unit}`)]);
    }
    if (altitudes.length > 0) {
      const [low, high] = [least(altitudes), most(altitudes)];
      const span = Math.max(high - low, 20);
      const y = (it) => height - 2 - ((height - 4) * (it - low)) / span;
      svg.append(shape("path", { class: "chart-altitude", d: path(({ altitude }) => altitude, y) }));
      const { metres } = units.heightUnit;
      drawScale(low / metres, (low + span) / metres, (value) => y(value * metres), "end", units.heightUnit.name);
      legend.push(["altitude", say(words.altitudeRange, units.length(low), units.length(high))]);
    }
    drawTimes(x);
    nameStops(x);
    svg.append(shape("line", { class: "chart-mark", x1: 0, x2: 0, y1: 0, y2: height, visibility: "hidden" }));
    const key = document.getElementById("chart-key");
    key.replaceChildren(...legend.map(([name, text]) => {
      const item = document.createElement("span");
      item.className = `key-${name}`;
      item.textContent = text;
      return item;
    }));
    mark();
  }

  function write(text, x, y, anchor) {
    const label = shape("text", { class: "chart-label", x, y, "text-anchor": anchor });
    label.textContent = text;
    svg.append(label);
  }

  /// Writes round values beside the left or the right end below their unit, the values of speed with lines.
  function drawScale(low, high, y, side, unit) {
    const { width } = size();
    const step = roundStep(high - low);
    const [x, anchor] = side === "start" ? [-6, "end"] : [width + 6, "start"];
    write(unit, x, fontSize() / 2, anchor);
    for (let value = Math.ceil(low / step + 1e-9) * step; value <= high; value += step) {
      // Not at the upper edge, where the label has no room.
      if (value === 0 || y(value) < 1.5 * fontSize()) continue;
      if (side === "start") svg.append(shape("line", { class: "chart-line", x1: 0, x2: width, y1: y(value), y2: y(value) }));
      write(Number(value.toFixed(6)).toString().replace("-", "\u2212"), x, y(value) + fontSize() / 3, anchor);
    }
  }

  /// Writes round times below the lines. Within a gap there are none.
  function drawTimes(x) {
    const { width, height } = size();
    const room = 5 * fontSize();
    const most = Math.max(1, width / room);
    const step = timeSteps.find((seconds) => length() / seconds <= most) ?? timeSteps.at(-1);
    let free = 0;
    for (let index = 1; index < points.length; index += 1) {
      const [from, to] = [points[index - 1], points[index]];
      const offset = units.offsetAt(to.time);
      const tick = Math.floor((to.time + offset) / step) * step - offset;
      if (to.isAfterBreak || tick <= from.time) continue;
      const at = x(from.at + ((tick - from.time) / (to.time - from.time)) * (to.at - from.at));
      if (at < free || at > width - room / 3) continue;
      svg.append(shape("line", { class: "chart-line", x1: at, x2: at, y1: height, y2: height + 4 }));
      write(units.axisTime(tick), Math.max(at, room / 3), height + 1.2 * fontSize(), "middle");
      free = at + room;
    }
  }

  /// Writes the name of each stop above its middle, if the previous name leaves room.
  function nameStops(x) {
    let free = -Infinity;
    for (const { name, start, end } of stops) {
      const label = shape("text", { class: "chart-stop-name", x: x((start + end) / 2), y: "1em" });
      label.textContent = name;
      svg.append(label);
      const { x: left, width, height } = label.getBBox();
      if (left < free) label.remove();
      else free = left + width + height / 2;
    }
  }

  /// The stop at a place of the axis, with a finger's breadth of tolerance.
  function stopAt(at, reach = 0) {
    const away = ({ start, end }) => Math.max(start - at, at - end, 0);
    const [nearest] = stops.filter((stop) => away(stop) <= reach).sort((one, other) => away(one) - away(other));
    return nearest;
  }

  function mark() {
    const line = svg.querySelector(".chart-mark");
    const point = points[selected];
    const stop = point && stopAt(point.at);
    const where = stop ? [`${say(words.stopNumber, stop.name)} · ${units.duration(stop.duration)}`] : [];
    readout.textContent = point ? [...where, units.pointWords(point)].join(" · ") : "";
    figure.setAttribute("aria-valuenow", point ? String(Math.round((100 * point.at) / length())) : "0");
    figure.setAttribute("aria-valuetext", readout.textContent || words.nowhere);
    onPoint(point);
    if (!line) return;
    line.setAttribute("visibility", point ? "visible" : "hidden");
    if (point) for (const name of ["x1", "x2"]) line.setAttribute(name, (point.at / length()) * size().width);
  }

  function choose(index) {
    if (index === selected) return;
    selected = index;
    mark();
  }

  /// The point nearest to a place on the axis.
  function nearest(at) {
    let [low, high] = [0, points.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (points[middle].at < at) low = middle + 1;
      else high = middle;
    }
    return low > 0 && at - points[low - 1].at < points[low].at - at ? low - 1 : low;
  }

  /// The place on the axis of a pointer event.
  function pointedAt({ clientX }) {
    const { left, width } = svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width)) * length();
  }

  figure.addEventListener("pointermove", (event) => {
    if (points.length > 1) choose(nearest(pointedAt(event)));
  });
  figure.addEventListener("click", (event) => {
    if (points.length < 2) return;
    const stop = stopAt(pointedAt(event), (12 / size().width) * length());
    if (stop) onStop(stop.name);
  });
  figure.addEventListener("pointerleave", () => choose(undefined));
  figure.addEventListener("keydown", (event) => {
    const stop = event.key === "Enter" && selected !== undefined && stopAt(points[selected].at);
    if (stop) return onStop(stop.name);
    const step = { ArrowLeft: -0.01, ArrowRight: 0.01, PageUp: 0.1, PageDown: -0.1 }[event.key];
    const end = { Home: 0, End: 1 }[event.key];
    if (points.length < 2 || (step ?? end) === undefined) return;
    event.preventDefault();
    const from = selected === undefined ? 0 : points[selected].at / length();
    let index = nearest(Math.min(1, Math.max(0, end ?? from + step)) * length());
    // Moves by at least one point, however far the next one is.
    if (step && index === selected) index = Math.min(points.length - 1, Math.max(0, index + Math.sign(step)));
    choose(index);
  });
  new ResizeObserver(draw).observe(svg);

  return {
    show(trail, places) {
      points = along(trail ?? []);
      stops = stopsAlong(points, places);
      selected = undefined;
      const isShown = points.length > 1;
      figure.hidden = !isShown;
      figure.parentElement.classList.toggle("charted", isShown);
      draw();
      mark();
    },
  };
}
