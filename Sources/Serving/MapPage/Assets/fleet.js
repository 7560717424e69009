// The values of the devices, in columns of numbers, so that a hundred thousand devices are cheap.

import { isOnMap, worldX, worldY } from "./canvas.js";
import { say, words } from "./words.js";

export const states = { searching: 0, current: 1, stale: 2 };

/// The values of a device, in the order of the daemon's entries after the identifier, the name and the state.
const columns = ["latitude", "longitude", "time", "speed", "altitude", "accuracy", "course", "battery"];

export function createFleet() {
  let indices = new Map();
  const fleet = {
    ids: [], names: [], states: [], x: [], y: [], fences: [], count: 0,
    // Whether the search leaves a device out.
    hidden: [],
    ...Object.fromEntries(columns.map((name) => [name, []])),

    /// Stores entries of the daemon: [id, name, state, latitude, longitude, …], with null for unknown values; the names of
    /// the fences around a device come last.
    store(entries) {
      for (const [id, name, state, ...values] of entries) {
        let index = indices.get(id);
        if (index === undefined) {
          index = fleet.count++;
          indices.set(id, index);
          fleet.ids.push(id);
        }
        fleet.names[index] = name ?? "";
        fleet.states[index] = state;
        columns.forEach((column, place) => (fleet[column][index] = values[place] ?? NaN));
        fleet.fences[index] = values[columns.length] ?? [];
        const isShown = values[0] !== null && isOnMap(values[0]);
        fleet.x[index] = isShown ? worldX(values[1]) : NaN;
        fleet.y[index] = isShown ? worldY(values[0]) : NaN;
      }
    },

    clear() {
      indices = new Map();
      for (const list of Object.values(fleet)) if (Array.isArray(list)) list.length = 0;
      fleet.count = 0;
    },

    indexOf: (id) => indices.get(id),
    /// "in depot, town"; empty outside all fences.
    within: (index) => (fleet.fences[index].length > 0 ? say(words.inFences, fleet.fences[index].join(words.comma)) : ""),
    /// The display name of a device.
    title: (index) => fleet.names[index] || fleet.ids[index],
  };
  return fleet;
}
