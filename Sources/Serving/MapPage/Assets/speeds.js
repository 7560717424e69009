// Speeds as colours: classes with round limits in the unit of the page, in colours of viridis, which colour-blind
// readers can tell apart. `rxlocationd track` uses the same colours in its pictures.

import { speedUnit } from "./units.js";
import { say, words } from "./words.js";

const viridis = [
  0x440154, 0x482475, 0x414487, 0x355f8d, 0x2a788e, 0x21918c, 0x22a884, 0x44bf70, 0x7ad151, 0xbddf26, 0xfde725,
];

/// A scale from 0 to the greatest speed, in m/s: { classes: number, step: in the page's unit, colours, classOf(speed) }. That of
/// a growing trail ends at 10, 20, 50, 100 or 200, so that it stays the same for most of a drive.
export function speedScale(greatest, isGrowing) {
  const known = Math.max(greatest * speedUnit.factor, 1);
  const top = isGrowing ? Math.max(10, roundStep(known)) : known;
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

/// Draws the scale's colours with their limits into an element, and grey for unknown speeds. The third argument says
/// which of the two occur, as { known, unknown }; without either the element is empty.
export function drawLegend(element, scale, { known, unknown }) {
  const end = `${Number((scale.classes * scale.step).toPrecision(3))} ${speedUnit.name}`;
  const parts = [];
  if (known) parts.push(legendPart("legend-scale", scale.colours, ["0", end]));
  if (unknown) parts.push(legendPart("legend-unknown", ["var(--quiet)"], [words.noSpeed]));
  const meanings = [
    words.speedsAlong, ...(known ? [say(words.legendSpeeds, end)] : []), ...(unknown ? [words.legendUnknown] : []),
  ];
  element.setAttribute("aria-label", meanings.join(words.comma));
  element.replaceChildren(...parts);
}

/// A bar of colours with words below it.
function legendPart(className, colours, texts) {
  const element = (name, children) => {
    const made = document.createElement("div");
    made.className = name;
    made.append(...children);
    return made;
  };
  const boxes = colours.map((background) => {
    const box = document.createElement("span");
    box.style.background = background;
    return box;
  });
  const labels = texts.map((text) => Object.assign(document.createElement("span"), { textContent: text }));
  return element(className, [element("legend-bar", boxes), element("legend-limits", labels)]);
}
