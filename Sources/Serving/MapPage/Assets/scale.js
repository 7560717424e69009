// The scale bar, in the page's units.

import { system } from "./units.js";

const nauticalMile = 1852;

export function createScale(L) {
  // Leaflet has no nautical miles. With them, short distances are in metres.
  const Scale = L.Control.Scale.extend({
    _updateMetric(most) {
      const power = 10 ** Math.floor(Math.log10(most / nauticalMile));
      if (system !== "nautical" || power < 0.1) return L.Control.Scale.prototype._updateMetric.call(this, most);
      const miles = [5, 3, 2, 1].find((factor) => factor * power * nauticalMile <= most) * power;
      this._updateScale(this._mScale, `${miles.toFixed(power < 1 ? 1 : 0)} nmi`, (miles * nauticalMile) / most);
    },
  });
  const isImperial = system === "imperial";
  // The words in the bar grow with the text.
  const maxWidth = 9.4 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  return new Scale({ position: "bottomleft", metric: !isImperial, imperial: isImperial, maxWidth });
}
