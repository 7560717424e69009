// The base of every map: Leaflet, tiles or a graticule, and the controls.

import { coverings } from "./canvas.js";
import { createGraticule } from "./graticule.js";
import { createScale } from "./scale.js";
import { createVectorTiles } from "./vector.js";
import { createWorld } from "./world.js";
import { words } from "./words.js";

function load(name, attributes) {
  return new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement(name), attributes);
    element.onload = resolve;
    element.onerror = reject;
    // Inserted before this program's style, which changes Leaflet's.
    document.head.prepend(element);
  });
}

/// Loads Leaflet, which comes from the host's package and may not be installed, and returns what `create(L)` makes. The page
/// shows its values without a map, too.
export async function openMap({ leaflet }, create) {
  try {
    if (!leaflet) throw new Error("Leaflet is not installed");
    await Promise.all([
      load("link", { rel: "stylesheet", href: "leaflet/leaflet.css" }),
      load("script", { src: "leaflet/leaflet.js" }),
    ]);
    // The map's view leaves room for them.
    document.getElementById("tools").hidden = false;
    return create(window.L);
  } catch {
    Object.assign(document.getElementById("map-message"), { textContent: words.noMap, hidden: false });
  }
}

/// The text and the links of an attribution; other markup is removed.
function attributionOf(markup) {
  const parsed = new DOMParser().parseFromString(markup ?? "", "text/html");
  const result = document.createElement("span");
  const walk = (node, parent) => {
    for (const child of node.childNodes) {
      const isLink = child.nodeName === "A" && /^https?:/.test(child.getAttribute("href") ?? "");
      const next = isLink ? parent.appendChild(document.createElement("a")) : parent;
      if (isLink) Object.assign(next, { href: child.getAttribute("href"), rel: "noopener", target: "_blank" });
      if (child.nodeType === Node.TEXT_NODE) parent.append(child.data);
      else walk(child, next);
    }
  };
  walk(parsed.body, result);
  return result.innerHTML;
}

/// Moves a map so that the bounds are visible between the controls on it.
export function fitBetweenControls(map, bounds) {
  // The chart may just have appeared below the map.
  map.invalidateSize({ animate: false, pan: false });
  const { x: width, y: height } = map.getSize();
  const sides = { left: 0, top: 0, right: 0, bottom: 0 };
  for (const [left, top, right, bottom] of coverings()) {
    // A control takes room from the side where it takes least.
    const taken = { left: right / width, top: bottom / height, right: (width - left) / width, bottom: (height - top) / height };
    const [side, share] = Object.entries(taken).reduce((one, other) => (other[1] < one[1] ? other : one));
    sides[side] = Math.max(sides[side], share);
  }
  // With some air, as far as the map has room.
  const padding = (side, length) => Math.min(Math.max(Math.min(40, 0.1 * length), sides[side] * length + Math.min(30, 0.04 * length)), 0.46 * length);
  map.fitBounds(bounds, {
    paddingTopLeft: [padding("left", width), padding("top", height)],
    paddingBottomRight: [padding("right", width), padding("bottom", height)],
    maxZoom: 16, animate: false,
  });
}

/// Creates a map in an element, as { map, graticule }. There is a graticule only without tiles, which cover the world.
export function createBase(L, element, tiles) {
  // Beyond the deepest tiles they are enlarged.
  const deepest = Math.max(20, (tiles?.maxZoom ?? 0) + 2);
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const map = L.map(element, {
    zoomControl: false, attributionControl: false, zoomAnimation: !calm, fadeAnimation: !calm, inertia: !calm,
    maxZoom: deepest, zoomSnap: tiles ? 1 : 0.5,
  });
  L.control.zoom({ position: "topright", zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  createScale(L).addTo(map);
  map.createPane("world").style.zIndex = 150;
  createWorld(L).addTo(map);
  let graticule;
  if (tiles) {
    element.parentElement.classList.add("tiled");
    const { url, attribution, minZoom, maxZoom, vector } = tiles;
    map.createPane("vector").style.zIndex = 200;
    map.createPane("names").style.zIndex = 260;
    const notes = L.control.attribution({ prefix: false });
    if (attribution) notes.addAttribution(attributionOf(attribution)).addTo(map);
    // One problem is enough, and a server elsewhere may be out of reach for a while.
    const report = (problem) => {
      if (hasProblem) return;
      hasProblem = true;
      notes.addAttribution(new Option(problem).innerHTML).addTo(map);
    };
    let hasProblem = !url.startsWith("/");
    const pictures = L.tileLayer(url, { minZoom, maxNativeZoom: maxZoom, maxZoom: deepest });
    pictures.on("tileerror", () => report(words.tileFailed));
    (vector ? createVectorTiles(L, tiles, deepest, report) : pictures).addTo(map);
  } else {
    map.createPane("graticule").style.zIndex = 250;
    graticule = createGraticule(L).addTo(map);
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    map.eachLayer((layer) => layer.schedule?.());
  });
  map.on("moveend zoomend", () => {
    const { lat, lng } = map.getCenter();
    Object.assign(element.dataset, { latitude: lat, longitude: lng, zoom: map.getZoom() });
  });
  new ResizeObserver(() => map.invalidateSize({ animate: false })).observe(element);
  // The map takes the size of the paper before the browser prints; no frame comes in between, and no tile of another zoom
  // level.
  let zoom;
  window.addEventListener("beforeprint", () => {
    const bounds = map.getBounds();
    zoom = map.getZoom();
    resize(true, () => (tiles ? zoom : Math.min(zoom, map.getBoundsZoom(bounds))));
  });
  window.addEventListener("afterprint", () => resize(false, () => zoom));
  function resize(isPaper, zoomOf) {
    document.documentElement.classList.toggle("printed", isPaper);
    map.invalidateSize({ animate: false });
    if (zoomOf() !== map.getZoom()) map.setView(map.getCenter(), zoomOf(), { animate: false });
    map.eachLayer((layer) => layer instanceof L.GridLayer || layer.redraw?.());
  }
  return { map, graticule };
}
