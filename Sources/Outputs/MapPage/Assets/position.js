// Where the receiver is: a mark with its course, in the circle of its accuracy.

import { isOnMap } from "./canvas.js";

/// The mark of the position: a drop whose tip shows the course, or a disc while that is unknown.
function positionMark(L) {
  const element = document.createElement("div");
  const [drawing, shape, dot] = ["svg", "path", "circle"].map((name) =>
    document.createElementNS("http://www.w3.org/2000/svg", name));
  drawing.setAttribute("viewBox", "-32 -32 64 64");
  shape.setAttribute("class", "shape");
  dot.setAttribute("class", "dot");
  dot.setAttribute("r", "5");
  drawing.append(shape, dot);
  element.append(drawing);
  return {
    icon: L.divIcon({ html: element, className: "position", iconSize: [64, 64] }),
    turn(course) {
      const disc = "A14 14 0 1 1";
      shape.setAttribute("d", course === undefined ? `M0 -14${disc} -.01 -14Z` : `M0 -29L12.3 -6.8${disc} -12.3 -6.8Z`);
      shape.style.transform = `rotate(${course ?? 0}deg)`;
      element.dataset.course = course ?? "";
    },
  };
}

/// Returns `move(location, place)`; the place is where that is on the map.
export function createPosition(L, map) {
  const accuracy = L.circle([0, 0], { className: "accuracy", interactive: false });
  const mark = positionMark(L);
  const marker = L.marker([0, 0], { icon: mark.icon, interactive: false, keyboard: false });

  return function move({ latitude, course, horizontalAccuracy }, place) {
    if (isOnMap(latitude)) marker.setLatLng(place).addTo(map);
    else marker.remove();
    mark.turn(course);
    if (horizontalAccuracy === undefined || !isOnMap(latitude)) accuracy.remove();
    else accuracy.setLatLng(place).setRadius(horizontalAccuracy).addTo(map);
  };
}
