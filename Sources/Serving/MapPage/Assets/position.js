// The position of the receiver: a mark with its course, in the circle of its accuracy.

import { isOnMap } from "./canvas.js";

/// The mark of the position: a disc in the centre, and a separate tip that shows the course while it is known. A tip
/// attached to the disc would look like the position when it points south, as that of a pin does.
function positionMark(L) {
  const element = document.createElement("div");
  const [drawing, tip, disc] = ["svg", "path", "circle"].map((name) =>
    document.createElementNS("http://www.w3.org/2000/svg", name));
  drawing.setAttribute("viewBox", "-32 -32 64 64");
  for (const shape of [tip, disc]) shape.setAttribute("class", "shape");
  tip.setAttribute("d", "M0 -31L12 -16A20 20 0 0 0 -12 -16Z");
  disc.setAttribute("r", "10");
  drawing.append(tip, disc);
  element.append(drawing);
  return {
    icon: L.divIcon({ html: element, className: "position", iconSize: [64, 64] }),
    turn(course) {
      tip.setAttribute("visibility", course === undefined ? "hidden" : "visible");
      tip.style.transform = `rotate(${course ?? 0}deg)`;
      element.dataset.course = course ?? "";
    },
  };
}

/// Returns `move(location, place)`; `place` is its position on the map. Without a location there is no mark.
export function createPosition(L, map) {
  const accuracy = L.circle([0, 0], { className: "accuracy", interactive: false });
  const mark = positionMark(L);
  const marker = L.marker([0, 0], { icon: mark.icon, interactive: false, keyboard: false });

  return function move(location, place) {
    if (!location) {
      for (const layer of [marker, accuracy]) layer.remove();
      return;
    }
    const { latitude, course, horizontalAccuracy } = location;
    if (isOnMap(latitude)) marker.setLatLng(place).addTo(map);
    else marker.remove();
    mark.turn(course);
    if (horizontalAccuracy === undefined || !isOnMap(latitude)) accuracy.remove();
    else accuracy.setLatLng(place).setRadius(horizontalAccuracy).addTo(map);
  };
}
