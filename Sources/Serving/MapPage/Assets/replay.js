// The controls of a replay.

import { duration } from "./units.js";
import { say, words } from "./words.js";

const speeds = [0.5, 1, 2, 5, 10, 50, "max"];
const element = (id) => document.getElementById(id);

function offer(select, value) {
  select.add(new Option(value === "max" ? words.fastest : `${value} ×`, String(value)));
}

/// Returns `update(state)`.
export function createReplay() {
  const [bar, pause, speed, position, message] =
    ["replay", "replay-pause", "replay-speed", "replay-position", "replay-message"].map(element);
  let replay;
  let isChoosing = false;

  async function order(query) {
    const answer = await fetch(`replay?${query}`, { method: "POST" }).catch(() => undefined);
    message.textContent = answer?.ok === false ? await answer.text() : "";
  }

  for (const value of speeds) offer(speed, value);
  pause.addEventListener("click", () => order(`paused=${!replay.paused}`));
  speed.addEventListener("change", () => order(`speed=${speed.value}`));
  for (const button of bar.querySelectorAll("[data-ahead]")) {
    button.addEventListener("click", ({ detail: clicks }) => {
      const seconds = Number(button.dataset.ahead);
      order(seconds > 0 ? `ahead=${seconds}` : `seek=${Math.max(0, replay.position + seconds)}`);
      // After the mouse, the space bar pauses.
      if (clicks > 0) button.blur();
    });
  }
  position.addEventListener("input", () => {
    isChoosing = true;
    showTimes();
  });
  position.addEventListener("change", () => {
    isChoosing = false;
    order(`seek=${position.value}`);
  });
  // A place that is the first one again is no change.
  for (const end of ["pointerup", "pointercancel", "blur"]) {
    position.addEventListener(end, () => setTimeout(() => (isChoosing = false)));
  }
  document.addEventListener("keydown", (event) => {
    const isTaken = event.target.closest("a, button, input:not([type=range]), select, summary");
    if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey || isTaken || bar.hidden) return;
    // Otherwise the panel scrolls.
    event.preventDefault();
    if (!event.repeat) pause.click();
  });

  function showTimes() {
    const at = duration(isChoosing ? position.valueAsNumber : replay.position);
    element("replay-at").textContent = at;
    element("replay-length").textContent = replay.length === undefined ? "" : duration(replay.length);
    const spoken = replay.length === undefined ? at : say(words.of, at, duration(replay.length));
    if (position.getAttribute("aria-valuetext") !== spoken) position.setAttribute("aria-valuetext", spoken);
  }

  function show() {
    pause.textContent = replay.paused ? words.resume : words.pause;
    const value = String(replay.speed);
    if (speed.value !== value && document.activeElement !== speed) {
      if (![...speed.options].some((option) => option.value === value)) offer(speed, value);
      speed.value = value;
    }
    position.hidden = replay.length === undefined;
    if (!position.hidden && !isChoosing) {
      position.max = Math.ceil(replay.length);
      // An arrow key goes a two-hundredth of the way.
      position.step = Math.max(1, Math.round(replay.length / 200));
      position.value = replay.position;
    }
    showTimes();
  }

  return function update({ replay: current, source }, isAway) {
    bar.hidden = !current || source.status === "ended" || isAway;
    if (bar.hidden || current === replay) return;
    replay = current;
    show();
  };
}
