// The devices: what is known of each, in columns of numbers, so that a hundred thousand of them are no burden.

import { isOnMap, worldX, worldY } from "./canvas.js";

export const states = { searching: 0, current: 1, stale: 2 };

/// What a device says of itself, in the order of the daemon's entries after the identifier, the name and the state.
const columns = ["latitude", "longitude", "time", "speed", "altitude", "accuracy", "course"];

export function createFleet() {
  let indices = new Map();
  const fleet = {
    ids: [], names: [], states: [], x: [], y: [], count: 0,
    ...Object.fromEntries(columns.map((name) => [name, []])),

    /// Takes entries of the daemon: [id, name, state, latitude, longitude, …], null for what is not known.
    take(entries) {
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
        const isShown = values[0] !== null && isOnMap(values[0]);
        fleet.x[index] = isShown ? worldX(values[1]) : NaN;
        fleet.y[index] = isShown ? worldY(values[0]) : NaN;
      }
    },

    /// Forgets all.
    clear() {
      indices = new Map();
      for (const list of Object.values(fleet)) if (Array.isArray(list)) list.length = 0;
      fleet.count = 0;
    },

    indexOf: (id) => indices.get(id),
    /// What a person calls it.
    title: (index) => fleet.names[index] || fleet.ids[index],
  };
  return fleet;
}
