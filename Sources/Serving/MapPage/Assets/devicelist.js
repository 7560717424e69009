// The list of devices: searchable, sorted, and of any length, because only the visible rows are in the document.

import { metresBetween } from "./canvas.js";
import { states } from "./fleet.js";
import { distance, duration, speed } from "./units.js";
import { say, words } from "./words.js";

// In percent: a charge that the list mentions.
const lowBattery = 20;

export const stateNames = { [states.searching]: words.searching, [states.current]: words.current, [states.stale]: words.stale };

/// Creates the list in `#device-list`. `age(index)` is in seconds, `center()` is the map's centre; `onPick(index)` is
/// called with the chosen device.
export function createDeviceList(fleet, { age, center, onPick }) {
  const list = document.getElementById("device-list");
  const rows = document.getElementById("device-rows");
  const search = document.getElementById("search");
  const order = document.getElementById("order");
  const count = document.getElementById("device-count");
  let [found, selected, active, shown] = [[], undefined, 0, new Map()];
  // The values by which the devices are sorted, by their indices.
  let keys;
  const rowHeight = () => 3.4 * parseFloat(getComputedStyle(document.documentElement).fontSize);

  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  /// Finds and sorts the devices. It costs too much to be done for each change of a device.
  function find() {
    const wanted = search.value.trim().toLocaleLowerCase();
    found = [];
    for (let index = 0; index < fleet.count; index += 1) {
      const isFound = !wanted || fleet.ids[index].toLocaleLowerCase().includes(wanted)
        || fleet.names[index].toLocaleLowerCase().includes(wanted);
      fleet.hidden[index] = !isFound;
      if (isFound) found.push(index);
    }
    const byName = (one, other) => collator.compare(fleet.title(one), fleet.title(other));
    if (order.value === "name") {
      found.sort(byName);
    } else {
      keys = order.value === "age" ? fleet.time.map((time) => -time) : distances();
      // Unknown values come last.
      const key = (index) => (Number.isNaN(keys[index]) ? Infinity : keys[index]);
      found.sort((one, other) => (key(one) === key(other) ? byName(one, other) : key(one) - key(other)));
    }
    count.textContent = found.length === fleet.count ? say(words.deviceCount, fleet.count) : say(words.devicesFound, found.length, fleet.count);
    if (wanted && found.length === 0) count.textContent = say(words.noneFound, fleet.count, search.value.trim());
    active = Math.max(0, Math.min(active, found.length - 1));
    show();
  }

  /// Metres from the map's centre.
  function distances() {
    const middle = center?.();
    if (!middle) return [];
    return fleet.latitude.map((latitude, index) =>
      metresBetween({ latitude: middle.lat, longitude: middle.lng }, { latitude, longitude: fleet.longitude[index] }));
  }

  /// "Current · 5 s · 36 km/h · in depot", without unknown values.
  function detailOf(index) {
    const parts = [stateNames[fleet.states[index]]];
    const seconds = age(index);
    if (seconds !== undefined) parts.push(duration(seconds));
    if (fleet.states[index] === states.current && fleet.speed[index] > 0.5) {
      const { value, unit } = speed(fleet.speed[index]);
      parts.push(`${value} ${unit}`);
    }
    if (fleet.battery[index] <= lowBattery) parts.push(say(words.batteryAt, fleet.battery[index]));
    if (order.value === "distance" && keys?.[index] >= 0) parts.push(distance(keys[index]));
    return parts.concat(fleet.within(index) || []).join(" · ");
  }

  /// The row of a device. It is kept while the device is visible, because a click needs the same element from the
  /// press to the release.
  function createRow(index) {
    const item = document.createElement("li");
    item.append(Object.assign(document.createElement("span"), { className: "device-name" }), document.createElement("small"));
    item.setAttribute("role", "option");
    item.addEventListener("click", () => {
      active = found.indexOf(index);
      onPick(index);
    });
    return item;
  }

  function update(item, place) {
    const index = found[place];
    const [name, detail] = item.children;
    name.textContent = fleet.title(index);
    detail.textContent = detailOf(index);
    Object.assign(item, { id: `device-${place}`, className: fleet.states[index] === states.current ? "" : "stale" });
    item.setAttribute("aria-selected", String(index === selected));
    item.setAttribute("aria-posinset", String(place + 1));
    item.setAttribute("aria-setsize", String(found.length));
    item.classList.toggle("active", place === active);
    item.style.top = `${place * rowHeight()}px`;
  }

  function show() {
    const height = rowHeight();
    rows.style.height = `${found.length * height}px`;
    const first = Math.max(0, Math.floor(list.scrollTop / height) - 2);
    const last = Math.min(found.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 2);
    const visible = found.slice(first, Math.max(first, last));
    shown = new Map(visible.map((index) => [index, shown.get(index) ?? createRow(index)]));
    visible.forEach((index, offset) => update(shown.get(index), first + offset));
    const items = [...shown.values()];
    if (items.length !== rows.children.length || items.some((item, place) => item !== rows.children[place])) {
      rows.replaceChildren(...items);
    }
    if (active >= first && active < last) list.setAttribute("aria-activedescendant", `device-${active}`);
    else list.removeAttribute("aria-activedescendant");
  }

  /// Moves among the rows by keyboard.
  function activate(place) {
    const height = rowHeight();
    active = Math.max(0, Math.min(found.length - 1, place));
    if (active * height < list.scrollTop) list.scrollTop = active * height;
    else if ((active + 1) * height > list.scrollTop + list.clientHeight) list.scrollTop = (active + 1) * height - list.clientHeight;
    show();
  }

  list.addEventListener("scroll", show, { passive: true });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / rowHeight()) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) activate(active + steps[event.key]);
    else if ((event.key === "Enter" || event.key === " ") && found.length > 0) onPick(found[active]);
    else return;
    event.preventDefault();
  });
  search.addEventListener("input", () => {
    [list.scrollTop, active] = [0, 0];
    find();
  });
  order.addEventListener("change", () => {
    [list.scrollTop, active] = [0, 0];
    find();
  });
  new ResizeObserver(show).observe(list);

  return {
    find,
    show,
    sortsByDistance: () => order.value === "distance",
    select(index) {
      selected = index;
      const place = found.indexOf(index);
      if (place >= 0) activate(place);
      else show();
    },
  };
}
