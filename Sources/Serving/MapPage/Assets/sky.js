// The satellites: a plot of the sky as seen from below, with north at the top, and a table with the same data.

import { say, words } from "./words.js";

const svgNames = "http://www.w3.org/2000/svg";

// Each system has its own shape, so that colours need not be distinguished.
const shapes = {
  GPS: "M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z",
  GLONASS: "M0 -1.15L1.1 .8H-1.1Z",
  Galileo: "M-.9 -.9H.9V.9H-.9Z",
  BeiDou: "M0 -1.25L1.25 0L0 1.25L-1.25 0Z",
  QZSS: "M-1.1 -.8H1.1L0 1.15Z",
  SBAS: "M-.4 -1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
};
const otherShape = "M0 -1.2L1.04 -.6V.6L0 1.2L-1.04 .6V-.6Z";

function svg(name, attributes, ...children) {
  const element = document.createElementNS(svgNames, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function html(name, text) {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}

const angle = (degrees) => (degrees === undefined ? "–" : `${Math.round(degrees)}°`);
const signal = (value) => (value === undefined ? "–" : `${Math.round(value)} dB-Hz`);
const nameOf = ({ system, number }) => `${system} ${number}`;
const usedWord = ({ used }) => (used ? words.yes : words.no);
const titleOf = (satellite) => say(words.satelliteValues, nameOf(satellite), usedWord(satellite), signal(satellite.signal),
  angle(satellite.azimuth), angle(satellite.elevation));

/// The horizon, 30° and 60°, and the cardinal directions.
function backdrop() {
  const rings = [90, 60, 30].map((radius) => svg("circle", { class: "ring", r: radius }));
  const cross = svg("path", { class: "ring", d: "M-90 0H90M0 -90V90" });
  const winds = [[0, 0, -98], [2, 101, 5], [4, 0, 108], [6, -101, 5]].map(([wind, x, y]) => {
    const label = svg("text", { x, y, class: wind === 0 ? "north" : "wind" });
    label.textContent = words.winds[wind];
    return label;
  });
  return [...rings, cross, ...winds];
}

function mark(satellite) {
  const { system, azimuth, elevation, used } = satellite;
  const turn = (azimuth * Math.PI) / 180;
  const x = (90 - elevation) * Math.sin(turn);
  const y = -(90 - elevation) * Math.cos(turn);
  // A strong signal is a large mark.
  const size = 4 + Math.min(Math.max(satellite.signal ?? 0, 0), 50) / 12;
  const title = document.createElementNS(svgNames, "title");
  title.textContent = titleOf(satellite);
  return svg("path", {
    class: used ? "satellite used" : "satellite",
    d: shapes[system] ?? otherShape,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) scale(${size.toFixed(1)})`,
  }, title);
}

/// A bar for each satellite, whose height is the signal strength; the bar of a used satellite is filled.
function bars(satellites) {
  const [step, height] = [7, 20];
  const list = satellites.map((satellite, index) => {
    const tall = 1 + (height - 1) * Math.min(Math.max((satellite.signal ?? 0) / 50, 0), 1);
    const title = document.createElementNS(svgNames, "title");
    title.textContent = titleOf(satellite);
    return svg("rect", {
      class: satellite.used ? "bar used" : "bar", x: index * step + 0.5, y: height - tall, width: step - 2, height: tall,
    }, title);
  });
  const width = satellites.length * step;
  return svg("svg", { class: "bars", viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...list);
}

function systemLine(system, satellites) {
  const used = satellites.filter((satellite) => satellite.used).length;
  const icon = svg("svg", { viewBox: "-1.6 -1.6 3.2 3.2", "aria-hidden": "true" },
    svg("path", { class: used ? "satellite used" : "satellite", d: shapes[system] ?? otherShape }));
  const line = document.createElement("li");
  line.append(icon, html("span", system), html("strong", say(words.of, used, satellites.length)), bars(satellites));
  return line;
}

function row(satellite) {
  const line = document.createElement("tr");
  const head = html("th", nameOf(satellite));
  head.scope = "row";
  line.append(head, html("td", angle(satellite.azimuth)), html("td", angle(satellite.elevation)),
    html("td", signal(satellite.signal)), html("td", usedWord(satellite)));
  return line;
}

/// Returns `update(satellites)`; unchanged data are not drawn again.
export function createSky() {
  const plot = document.getElementById("sky-plot");
  const systems = document.getElementById("systems");
  const rows = document.getElementById("sky-rows");
  const details = document.getElementById("sky-details");
  let given;
  let shown = [];
  let shownRows;

  function updateRows() {
    if (!details.open || shownRows === shown) return;
    shownRows = shown;
    rows.replaceChildren(...shown.map(row));
  }
  details.addEventListener("toggle", updateRows);

  return function update(satellites) {
    if (satellites === given) return;
    given = satellites;
    shown = [...satellites].sort((a, b) => a.system.localeCompare(b.system) || a.number - b.number);
    const used = shown.filter((satellite) => satellite.used);
    const placed = shown.filter(({ azimuth, elevation }) => azimuth !== undefined && elevation !== undefined);
    // Used satellites are drawn above the others.
    placed.sort((a, b) => Number(a.used) - Number(b.used));
    plot.setAttribute("aria-label", shown.length ? say(words.satelliteCount, shown.length, used.length) : words.noSatellites);
    plot.replaceChildren(...backdrop(), ...placed.map(mark));
    const names = [...new Set(shown.map(({ system }) => system))];
    systems.replaceChildren(...names.map((name) => systemLine(name, shown.filter(({ system }) => system === name))));
    updateRows();
  };
}
