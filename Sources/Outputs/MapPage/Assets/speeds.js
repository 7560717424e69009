// Speeds as colours: classes with round limits in the unit of the page, in colours of viridis, which people who see
// colours differently can tell apart. `rxlocationd track` draws its pictures with the same ones.

import { speedUnit } from "./units.js";

const viridis = [
  0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725,
];

/// A scale from 0 to the greatest speed, in m/s: { classes: number, step: in the page's unit, colours, classOf(speed) }.
export function speedScale(greatest) {
  const top = Math.max(greatest * speedUnit.factor, 10);
  const step = roundStep(top / 8);
  const classes = Math.max(2, Math.ceil(top / step - 1e-9));
  const perClass = speedUnit.factor / step;
  return {
    step,
    classes,
    colours: Array.from({ length: classes }, (_, index) => colour((0.9 * index) / (classes - 1))),
    classOf: (speed) => Math.min(classes - 1, Math.max(0, Math.floor(speed * perClass))),
  };
}

/// The smallest of 1, 2, 5, 10, 20, … that is at least `value`.
function roundStep(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= value * (1 - 1e-9));
}

function colour(share) {
  const place = share * (viridis.length - 1);
  const low = Math.min(Math.floor(place), viridis.length - 2);
  const channels = [16, 8, 0].map((shift) => {
    const [first, second] = [viridis[low], viridis[low + 1]].map((value) => (value >> shift) & 255);
    return Math.round(first + (place - low) * (second - first));
  });
  return `rgb(${channels.join(" ")})`;
}

/// Draws the scale's colours with their limits into an element.
export function drawLegend(element, scale) {
  const bar = document.createElement("div");
  bar.className = "legend-bar";
  for (const background of scale.colours) {
    const box = document.createElement("span");
    box.style.background = background;
    bar.append(box);
  }
  const limits = document.createElement("div");
  limits.className = "legend-limits";
  const end = `${scale.classes * scale.step} ${speedUnit.name}`;
  for (const text of ["0", end]) {
    const label = document.createElement("span");
    label.textContent = text;
    limits.append(label);
  }
  element.setAttribute("aria-label", `Speeds along the trail, from dark at 0 to bright at ${end}`);
  element.replaceChildren(bar, limits);
}
