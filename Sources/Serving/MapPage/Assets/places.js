// The start, the stops and the end of a recording, and the names of fences: a dot for each place, and a label if there is
// room.

import { coverings } from "./canvas.js";
import { duration } from "./units.js";
import { say, words } from "./words.js";

// In pixels: the distance between two labels with durations, so that the trail between them is visible; between shorter
// labels; and between the centres of two dots.
const apart = { long: 24, short: 8, dot: 10 };

/// The possible texts of a label, the longest first. A long name is cut by the style.
function wordings({ kind, name, duration: seconds }) {
  if (kind !== "stop") return [{ text: { start: words.start, end: words.end }[kind] ?? name, gap: 0 }];
  const short = { text: name, gap: apart.short };
  return seconds === undefined ? [short] : [{ text: `${name} · ${duration(seconds)}`, gap: apart.long }, short];
}

/// The possible centres of a label beside its place, the best first. The label of a stop covers its dot.
function offsets({ kind }, { width, height }) {
  const [across, along] = [width / 2 + 9, height / 2 + 7];
  const [above, below, right, left] = [[0, -along], [0, along], [across, 0], [-across, 0]];
  const edge = [0, -height / 2];
  return { start: [above, right, left, below], end: [below, right, left, above], fence: [edge, [0, -edge[1]]] }[kind]
    ?? [[0, 0], below, above];
}

/// Shows places on a map. `placeOf(one)` is the position of a place there, and `onStop(one)` is called when the user
/// chooses a stop. The result has `show(places)`.
export function createPlaces(L, map, placeOf, onStop) {
  const layer = L.layerGroup().addTo(map);
  // The most important first: the ends, then the stops by their duration, then the fences by their size.
  let marks = [];
  let frame;

  function mark(one) {
    const [root, dot, label] = ["div", "div", "div"].map((name) => document.createElement(name));
    const isFence = one.kind === "fence";
    dot.className = isFence ? "" : "place-dot";
    label.className = isFence ? `fence-label ${one.phase ?? ""}` : "place-label";
    root.append(dot, label);
    const texts = wordings(one);
    label.textContent = texts[0].text;
    const isStop = one.kind === "stop";
    const icon = L.divIcon({ html: root, className: `place ${one.kind}`, iconSize: [0, 0] });
    const marker = L.marker(placeOf(one), {
      icon, interactive: isStop, keyboard: false, bubblingMouseEvents: true, title: isStop ? say(words.stopNumber, texts[0].text) : "",
    });
    if (isStop) marker.on("click", () => onStop(one));
    marker.addTo(layer);
    return { one, marker, dot, label, texts };
  }

  /// Measures the possible texts of each label, as { text, gap, width, height }.
  function measure() {
    for (const { label } of marks) label.hidden = false;
    const rounds = Math.max(...marks.map(({ texts }) => texts.length));
    for (let round = 0; round < rounds; round += 1) {
      // All texts are written before the first one is measured, so that the browser lays them out once.
      const some = marks.filter(({ texts }) => texts.length > round);
      for (const { label, texts } of some) label.textContent = texts[round].text;
      for (const { label, texts } of some) {
        Object.assign(texts[round], { width: label.offsetWidth, height: label.offsetHeight });
      }
    }
  }

  /// Gives each label the first place and text with enough room.
  function arrange() {
    frame = undefined;
    if (marks.length === 0) return;
    measure();
    const taken = coverings().map((covering) => ({ box: covering, gap: 0 }));
    const size = map.getSize();
    const isInside = ([left, top, right, bottom]) => left >= 0 && top >= 0 && right <= size.x && bottom <= size.y;
    const dots = [];
    for (const { one, marker, dot, label, texts } of marks) {
      const at = map.latLngToContainerPoint(marker.getLatLng());
      const candidates = texts.flatMap((word) => offsets(one, word).map(([x, y]) => ({ ...word, x, y })));
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
      // One dot represents a crowd, so that the trail is visible.
      dot.hidden = !found && dots.some((other) => at.distanceTo(other) < apart.dot);
      if (!dot.hidden) dots.push(at);
      // A label is drawn above the dots of other places.
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
      const rank = ({ kind, duration: seconds, radius }) => ({ stop: seconds ?? 0, fence: radius - 1e9 }[kind] ?? Infinity);
      const byRank = [...places].sort((one, other) => (rank(one) === rank(other) ? 0 : rank(other) - rank(one)));
      const made = new Map(places.map((one) => [one, mark(one)]));
      marks = byRank.map((one) => made.get(one));
      schedule();
    },
  };
}
