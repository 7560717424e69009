// Lines of latitude and longitude with their degrees, where there are no tiles to say where one is.

import { canvasLayer, themeColour, worldY } from "./canvas.js";

/// The smallest round step that is at least `degrees`: parts of a circle above one degree.
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
  const step = roundStep(perPixel * 120);
  context.lineWidth = 1;
  context.strokeStyle = themeColour("--grid");
  context.fillStyle = themeColour("--quiet");
  context.font = "12px system-ui, sans-serif";
  const labels = [];
  context.beginPath();
  for (const longitude of multiples(step, bounds.getWest(), bounds.getEast())) {
    // Each copy of the world that is seen has its own.
    const x = Math.round(((longitude - bounds.getWest()) / (bounds.getEast() - bounds.getWest())) * view.width) + 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, view.height);
    labels.push([angle(longitude, step, "E", "W"), x + 4, 14]);
  }
  for (const latitude of multiples(step, Math.max(bounds.getSouth(), -85), Math.min(bounds.getNorth(), 85))) {
    const y = Math.round(view.y(worldY(latitude))) + 0.5;
    context.moveTo(0, y);
    context.lineTo(view.width, y);
    // The legend and the scale bar stand in the corner below.
    if (y < view.height - 120) labels.push([angle(latitude, step, "N", "S"), 4, y - 4]);
  }
  context.stroke();
  for (const [text, x, y] of labels) {
    // A label that the edge would cut says something else.
    if (x >= 0 && y >= 12 && x + context.measureText(text).width <= view.width) context.fillText(text, x, y);
  }
}

export function createGraticule(L) {
  return canvasLayer(L, "graticule", 0, draw);
}
