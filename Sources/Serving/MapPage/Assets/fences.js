// The side of a fence on which the receiver is, in the words of the page.

import { metresBetween } from "./canvas.js";

/// Whether a place is in a ring of [latitude, longitude], by the edges south of it.
function isInRing(ring, latitude, longitude) {
  let isInside = false;
  ring.forEach(([south, west], index) => {
    const [north, east] = ring[(index + 1) % ring.length];
    if (west > longitude === east > longitude) return;
    if (south + ((longitude - west) / (east - west)) * (north - south) < latitude) isInside = !isInside;
  });
  return isInside;
}

/// Polygons continue across the antimeridian, so a place may be in them a turn of the earth away.
function isWithin(fence, location) {
  if (!fence.polygons) return metresBetween(fence, location) <= fence.radius;
  const { latitude, longitude } = location;
  return fence.polygons.some(([outer, ...holes]) => [-360, 0, 360].some((turn) =>
    isInRing(outer, latitude, longitude + turn) && !holes.some((hole) => isInRing(hole, latitude, longitude + turn))));
}

/// A fence without its outline, which changes its circle as well; it compares quickly.
export function sketchOf({ polygons, ...fence }) {
  return fence;
}

/// The northernmost place of a fence, where its name rarely covers the position.
export function northOf({ latitude, longitude, radius, polygons }) {
  const corners = polygons?.flatMap(([outer]) => outer) ?? [[latitude + radius / 111_320, longitude]];
  const [north, east] = corners.reduce((one, other) => (other[0] > one[0] ? other : one));
  return { latitude: north, longitude: east };
}

/// Draws a fence. `place` gives its centre's place on the map.
export function drawFence(L, fence, place, kind, layer) {
  const turn = place[1] - fence.longitude;
  const style = { className: `fence ${kind}`, interactive: false };
  const corners = fence.polygons?.map((rings) => rings.map((ring) => ring.map(([north, east]) => [north, east + turn])));
  (corners ? L.polygon(corners, style) : L.circle(place, { radius: fence.radius, ...style })).addTo(layer);
}

/// "inside" or "outside"; "entering" or "leaving" while the place already contradicts the state, which changes after the dwell.
function phaseOf(fence, location) {
  if (!location || fence.state === "unknown") return fence.state;
  const isInside = isWithin(fence, location);
  if (isInside === (fence.state === "inside")) return fence.state;
  return isInside ? "entering" : "leaving";
}

/// The fences of a state of the daemon with their phases, for a location that is current.
export function phasesOf({ fences, fix, location }) {
  return (fences ?? []).map((fence) => ({ ...fence, phase: phaseOf(fence, fix === "current" ? location : undefined) }));
}
