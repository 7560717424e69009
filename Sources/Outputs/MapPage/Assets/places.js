// Where a recording began, stopped and ended: a dot for each place, and beside it what it is called where there is room.

import { coverings } from "./canvas.js";
import { duration } from "./units.js";

// Pixels between two labels that say how long it stopped, so that the way between them is seen, and between shorter ones; and
// from the middle of a dot to that of the next.
const apart = { long: 24, short: 8, dot: 10 };

/// What a label says, the most first.
function wordings({ kind, name, duration: seconds }) {
  if (kind !== "stop") return [{ text: name, gap: 0 }];
  const short = { text: name, gap: apart.short };
  return seconds === undefined ? [short] : [{ text: `${name} · ${duration(seconds)}`, gap: apart.long }, short];
}

/// Where the middle of a label may stand beside its place, the best first. A stop's covers its dot.
function offsets({ kind }, { width, height }) {
  const [across, along] = [width / 2 + 9, height / 2 + 7];
  const [above, below, right, left] = [[0, -along], [0, along], [across, 0], [-across, 0]];
  return { start: [above, right, left, below], end: [below, right, left, above] }[kind] ?? [[0, 0], below, above];
}

/// Shows places on a map. `placeOf(one)` is where one of them is there, and `onStop(one)` is called when somebody chooses a stop.
/// The result has `show(places)`.
export function createPlaces(L, map, placeOf, onStop) {
  const layer = L.layerGroup().addTo(map);
  // The most important first: the ends, then the stops by how long they were.
  let marks = [];
  let frame;

  function mark(one) {
    const [root, dot, label] = ["div", "div", "div"].map((name) => document.createElement(name));
    dot.className = "place-dot";
    label.className = "place-label";
    root.append(dot, label);
    const words = wordings(one);
    label.textContent = words[0].text;
    const isStop = one.kind === "stop";
    const icon = L.divIcon({ html: root, className: `place ${one.kind}`, iconSize: [0, 0] });
    const marker = L.marker(placeOf(one), {
      icon, interactive: isStop, keyboard: false, bubblingMouseEvents: true, title: isStop ? `Stop ${words[0].text}` : "",
    });
    if (isStop) marker.on("click", () => onStop(one));
    marker.addTo(layer);
    return { one, marker, dot, label, words };
  }

  /// Measures what each label may say, as { text, gap, width, height }.
  function measure() {
    for (const { label } of marks) label.hidden = false;
    const rounds = Math.max(...marks.map(({ words }) => words.length));
    for (let round = 0; round < rounds; round += 1) {
      // All are written before the first one is measured, so that the browser lays them out once.
      const some = marks.filter(({ words }) => words.length > round);
      for (const { label, words } of some) label.textContent = words[round].text;
      for (const { label, words } of some) {
        Object.assign(words[round], { width: label.offsetWidth, height: label.offsetHeight });
      }
    }
  }

  /// Gives each label the first place and wording for which there is room.
  function arrange() {
    frame = undefined;
    if (marks.length === 0) return;
    measure();
    const taken = coverings().map((covering) => ({ box: covering, gap: 0 }));
    const size = map.getSize();
    const isInside = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= size.x && bottom <= size.y;
    const dots = [];
    for (const { one, marker, dot, label, words } of marks) {
      const at = map.latLngToContainerPoint(marker.getLatLng());
      const candidates = words.flatMap((word) => offsets(one, word).map(([x, y]) => ({ ...word, x, y })));
      const box = ({ x, y, width, height }, gap) => [
        at.x + x - width / 2 - gap, at.y + y - height / 2 - gap, at.x + x + width / 2 + gap, at.y + y + height / 2 + gap,
      ];
      const isFree = (candidate) => taken.every((other) => {
        const [left, top, right, bottom] = box(candidate, Math.min(candidate.gap, other.gap));
        return right <= other.box[0] || left >= other.box[2] || bottom <= other.box[1] || top >= other.box[3];
      });
      const free = candidates.filter(isFree);
      const found = free.find((candidate) => isInside(box(candidate, 0))) ?? free[0];
      label.hidden = !found;
      // One of a crowd of dots does for all, so that the way is seen.
      dot.hidden = !found && dots.some((other) => at.distanceTo(other) < apart.dot);
      if (!dot.hidden) dots.push(at);
      // A label lies above the dots of others.
      marker.setZIndexOffset(found ? 10_000 : 0);
      if (!found) continue;
      label.textContent = found.text;
      label.style.transform = `translate(-50%, -50%) translate(${found.x}px, ${found.y}px)`;
      taken.push({ box: box(found, 0), gap: found.gap });
    }
  }

  const schedule = () => (frame ??= requestAnimationFrame(arrange));
  map.on("moveend zoomend resize", schedule);

  return {
    show(places) {
      layer.clearLayers();
      const rank = ({ kind, duration: seconds }) => (kind === "stop" ? seconds ?? 0 : Infinity);
      const byRank = [...places].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)));
      const made = new Map(places.map((one) => [one, mark(one)]));
      marks = byRank.map((one) => made.get(one));
      schedule();
    },
  };
}
