// Lines of latitude and longitude with their degrees, which show the place on a map without tiles.

import { canvasLayer, coverings, themeColour, worldY } from "./canvas.js";

/// The smallest round step that is at least `degrees`; above one degree it divides a circle.
function roundStep(degrees) {
  if (degrees > 1) return [2, 5, 10, 15, 30].find((step) => step >= degrees) ?? 45;
  const power = 10 ** Math.floor(Math.log10(degrees));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= degrees * (1 - 1e-9));
}

/// "37.78° N"; no letter on the equator and the prime meridian.
function angle(degrees, step, positive, negative) {
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const around = degrees - 360 * Math.round(degrees / 360);
  const letter = Math.abs(around) < step / 2 ? "" : ` ${around > 0 ? positive : negative}`;
  return `${Math.abs(around).toFixed(places)}°${letter}`;
}

function* multiples(step, from, to) {
  for (let index = Math.ceil(from / step); index * step <= to; index += 1) yield index * step;
}

function draw(context, view) {
  const bounds = view.map.getBounds();
  const perPixel = (bounds.getEast() - bounds.getWest()) / view.width;
  const fontSize = 0.71 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  context.lineWidth = 1;
  context.strokeStyle = themeColour("--grid");
  context.fillStyle = themeColour("--quiet");
  context.font = `${fontSize}px system-ui, sans-serif`;
  // Leaves room for a label between two lines.
  const step = roundStep(perPixel * 10 * fontSize);
  const taken = coverings();

  /// Writes a label beside its line, at the first free place along the line.
  function write(text, x, y, [alongX, alongY]) {
    const width = context.measureText(text).width;
    const inside = ([left, top]) => [Math.min(left, view.width - width - 4), Math.min(top, view.height - fontSize - 4)];
    const isFree = ([left, top]) => taken.every((box) =>
      left + width + 4 < box[0] || left - 4 > box[2] || top + fontSize + 2 < box[1] || top - 2 > box[3]);
    for (let [left, top] = [x, y]; left < view.width && top < view.height; left += alongX, top += alongY) {
      const place = inside([left, top]);
      if (!isFree(place)) continue;
      taken.push([place[0], place[1], place[0] + width, place[1] + fontSize]);
      context.fillText(text, place[0], place[1] + 0.85 * fontSize);
      return;
    }
  }

  const labels = [];
  context.beginPath();
  for (const longitude of multiples(step, bounds.getWest(), bounds.getEast())) {
    // Each visible copy of the world has its own lines.
    const x = Math.round(((longitude - bounds.getWest()) / (bounds.getEast() - bounds.getWest())) * view.width) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
    labels.push([angle(longitude, step, "E", "W"), x + 4, 4, [0, 8]]);
  }
  for (const latitude of multiples(step, Math.max(bounds.getSouth(), -85), Math.min(bounds.getNorth(), 85))) {
    const y = Math.round(view.y(worldY(latitude))) + 0.5;
    context.moveTo(0, y);
    context.lineTo(view.width, y);
    // Above the line, or below it at the upper edge.
    labels.push([angle(latitude, step, "N", "S"), 4, y > fontSize + 6 ? y - fontSize - 4 : y + 4, [8, 0]]);
  }
  context.stroke();
  for (const label of labels) write(...label);
}

export function createGraticule(L) {
  return canvasLayer(L, "graticule", 0, draw);
}
