// The map: the position with its accuracy and course, the trail, fences and the region, on tiles or on a graticule; for
// a recording its trail and its places.

import { createBase, fitBetweenControls } from "./base.js";
import { isOnMap } from "./canvas.js";
import { drawFence, northOf, phasesOf, sketchOf } from "./fences.js";
import { createPlaces } from "./places.js";
import { createPosition } from "./position.js";
import { drawLegend } from "./speeds.js";
import { createTrail } from "./trail.js";
import { pointWords } from "./units.js";
import { say, words } from "./words.js";

const firstZoom = 16;

/// Creates the map in `#map`, for a state of the daemon. The result has `update(state, recording)`, where `recording`
/// is the one whose places are shown, and `append(location, isBreak)`.
export function createMap(L, first) {
  const element = document.getElementById("map");
  const buttons = {
    follow: document.getElementById("follow"),
    trail: document.getElementById("whole-trail"),
    region: document.getElementById("show-region"),
  };
  const { map, graticule } = createBase(L, element, first.tiles);
  map.createPane("trail").style.zIndex = 380;
  map.getPane("tooltipPane").style.zIndex = 550;
  const message = document.getElementById("map-message");
  const legend = document.getElementById("legend");
  const trail = createTrail(L, (scale, shown) => drawLegend(legend, scale, shown));
  const movePosition = createPosition(L, map);
  const fences = L.layerGroup().addTo(map);
  const mark = L.circleMarker([0, 0], { radius: 8, className: "chart-point", interactive: false });
  const hint = L.tooltip({ direction: "top", offset: [0, -8], className: "trail-hint" });
  const region = L.rectangle([[0, 0], [0, 0]], { className: "region", interactive: false });

  /// A place in the trail's copy of the world; a trail across 180° continues beyond it.
  function place({ latitude, longitude }) {
    const middle = trail.bounds().isValid() ? trail.bounds().getCenter().lng : 0;
    return [latitude, longitude + 360 * Math.round((middle - longitude) / 360)];
  }

  const places = createPlaces(L, map, place, (one) => showPlace(one.name));

  // The last drawn values, so that only changes are drawn.
  let [location, shownFences, shownRegion, shownPlaces] = [];
  // While an earlier period is shown, live data are not on the map.
  let isPast = false;
  let showsRegion = false;
  let isFollowing = true;
  // Whether a position has been on the map. From then on the zoom level is the user's.
  let hasShown = false;
  let [isOurMove, isZooming] = [false, false];

  function moveTo(center, zoom) {
    isOurMove = true;
    map.setView(center, zoom, { animate: false });
    isOurMove = false;
  }

  function fit(bounds) {
    isOurMove = true;
    fitBetweenControls(map, bounds);
    isOurMove = false;
  }

  function setFollowing(value) {
    isFollowing = value;
    buttons.follow.setAttribute("aria-pressed", String(value));
    // Zooming keeps the centre while the map follows, so that it continues to follow.
    for (const option of ["scrollWheelZoom", "touchZoom", "doubleClickZoom"]) {
      map.options[option] = value ? "center" : true;
    }
    if (value) follow(map.getZoom());
  }

  function follow(zoom) {
    if (location && isOnMap(location.latitude)) moveTo(place(location), zoom);
  }

  function fenceBounds() {
    const onMap = (shownFences ?? []).filter(({ latitude }) => isOnMap(latitude));
    return onMap.map((fence) => L.latLng(place(fence)).toBounds(2 * fence.radius));
  }

  function showAll() {
    const bounds = L.latLngBounds([]).extend(trail.bounds());
    if (location && isOnMap(location.latitude)) bounds.extend(place(location));
    if (!bounds.isValid()) return;
    // With the fences at its edge, unless they are larger than the trail.
    const extent = bounds.getSouthWest().distanceTo(bounds.getNorthEast());
    for (const circle of fenceBounds()) {
      const isSmall = circle.getSouthWest().distanceTo(circle.getNorthEast()) < extent;
      if (isSmall && bounds.intersects(circle)) bounds.extend(circle);
    }
    setFollowing(false);
    fit(bounds);
  }

  // Shows the nearest point of the trail under a pointer or finger, at most once per frame.
  let pointed;
  function point(event) {
    pointed ??= requestAnimationFrame(() => {
      pointed = undefined;
      const one = trail.nearest(event.latlng, (at) => map.latLngToContainerPoint(at), 14);
      const text = one ? pointWords(one) : "";
      if (!text) return hint.remove();
      hint.setLatLng([one.latitude, one.longitude]).setContent(text).addTo(map);
    });
  }
  map.on("mousemove click", point);
  map.on("mouseout", () => hint.remove());

  map.on("movestart", () => {
    // Dragging and the arrow keys end following; zooming does not.
    if (!isOurMove && !isZooming && isFollowing) setFollowing(false);
  });
  map.on("zoomstart", () => (isZooming = true));
  map.on("zoomend", () => {
    isZooming = false;
    if (isFollowing && !isOurMove) follow(map.getZoom());
  });
  buttons.follow.addEventListener("click", () => setFollowing(!isFollowing));
  buttons.trail.addEventListener("click", showAll);
  buttons.region.addEventListener("click", () => {
    showsRegion = !showsRegion;
    buttons.region.setAttribute("aria-pressed", String(showsRegion));
    if (!showsRegion) return region.remove();
    region.addTo(map);
    if (map.getBounds().contains(region.getBounds())) return;
    setFollowing(false);
    fit(region.getBounds());
  });

  function updateLocation(next) {
    if (next === location || !next) return;
    location = next;
    movePosition(next, place(next));
    if (!isFollowing || isZooming) return;
    follow(hasShown ? map.getZoom() : firstZoom);
    hasShown ||= isOnMap(next.latitude);
  }

  /// Near a pole there is no map, and a mark on its edge would be in a wrong place.
  function updateMessage() {
    const what = location && !isOnMap(location.latitude) ? words.receiverPlace
      : !(isTrack || isPast) || trail.beyond() === 0 ? "" : trail.count() === 0 ? words.thisTrail : words.allOfTrail;
    message.hidden = what === "";
    message.textContent = say(words.mapEnds, what);
    message.classList.toggle("partial", (isTrack || isPast) && trail.count() > 0);
  }

  function updateFences(list) {
    if (JSON.stringify(list.map(sketchOf)) === JSON.stringify(shownFences?.map(sketchOf))) return false;
    shownFences = list;
    fences.clearLayers();
    for (const fence of list.filter(({ latitude }) => isOnMap(latitude))) {
      drawFence(L, fence, place(fence), fence.phase, fences);
    }
    return true;
  }

  function updateRegion(next) {
    if (next === shownRegion) return;
    shownRegion = next;
    buttons.region.disabled = !next;
    if (!next) return;
    const { center: { latitude, longitude }, span: { latitudeDelta, longitudeDelta } } = next;
    const [, middle] = place({ latitude, longitude });
    region.setBounds([
      [latitude - latitudeDelta / 2, middle - longitudeDelta / 2],
      [latitude + latitudeDelta / 2, middle + longitudeDelta / 2],
    ]);
  }

  function updatePlaces(list, hasNewFences) {
    if (list === shownPlaces && !hasNewFences) return;
    shownPlaces = list;
    const named = shownFences.map((fence) => (
      { kind: "fence", name: fence.id, phase: fence.phase, radius: fence.radius, ...northOf(fence) }));
    places.show([...(list ?? []), ...named].filter(({ latitude }) => isOnMap(latitude)));
  }

  /// Removes live data from the map while an earlier period is shown, and restores them afterwards.
  function setPast(value) {
    if (value === isPast) return;
    isPast = value;
    location = undefined;
    movePosition();
    for (const button of [buttons.follow, buttons.region]) button.hidden = value;
    if (value) region.remove();
    else if (showsRegion) region.addTo(map);
  }

  function replaceTrail(points) {
    const isFirst = trail.count() === 0;
    trail.replace(points, !isTrack);
    if (isTrack && isFirst) showAll();
  }

  /// Shows the whole trail of a recording.
  function lookAt(points) {
    trail.replace(points);
    setFollowing(false);
    if (trail.bounds().isValid()) fit(trail.bounds());
  }

  /// Shows a place of the recording by its name.
  function showPlace(name) {
    const one = shownPlaces?.find((it) => it.kind === "stop" && it.name === name);
    if (!one || !isOnMap(one.latitude)) return;
    setFollowing(false);
    moveTo(place(one), Math.max(map.getZoom(), firstZoom));
  }

  /// Marks a point of the trail, or removes the mark.
  function markPoint(point) {
    if (!point || !isOnMap(point.latitude)) return mark.remove();
    mark.setLatLng(place(point)).addTo(map);
  }

  function update(state, recording) {
    setPast(recording !== state);
    if (!isPast) updateLocation(state.location);
    const hasNewFences = updateFences(phasesOf(isPast ? { fences: state.fences } : state));
    updateRegion(state.region);
    updatePlaces(recording.places, hasNewFences);
    buttons.follow.disabled = !state.location;
    buttons.trail.disabled = trail.count() === 0;
    updateMessage();
    element.dataset.trailPoints = trail.count();
    const hasLegend = legend.childElementCount > 0;
    if (legend.hidden === !hasLegend) return;
    legend.hidden = !hasLegend;
    graticule?.schedule();
  }

  const isTrack = first.source.kind === "track";
  trail.replace(first.trail ?? [], !isTrack);
  trail.addTo(map);
  map.setView([25, 0], 2);
  for (const button of [buttons.follow, buttons.region]) button.hidden = isTrack;
  setFollowing(!isTrack);
  update(first, first);
  // Without a position the trail or the fences determine the view.
  const fenced = fenceBounds().reduce((all, one) => all.extend(one), L.latLngBounds([]));
  const rest = trail.bounds().isValid() ? trail.bounds() : fenced;
  if (!first.location && rest.isValid()) fit(rest);

  return {
    update, append: trail.append, replaceTrail, lookAt, showPlace, mark: markPoint, follow: () => setFollowing(true),
  };
}
