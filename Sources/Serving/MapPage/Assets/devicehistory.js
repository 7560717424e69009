// An earlier period of one device, from the daemon's journal: its way on the map, and a chart.

import { metresBetween } from "./canvas.js";
import { createChart } from "./chart.js";
import { fieldText, midnight } from "./days.js";
import { distance } from "./units.js";
import { say, words } from "./words.js";

const byId = (id) => document.getElementById(id);

/// The length of a trail without its gaps, in metres.
function lengthOf(points) {
  return points.reduce((sum, point, index) => {
    const before = points[index - 1];
    if (!point || !before) return sum;
    return sum + metresBetween({ latitude: before[0], longitude: before[1] }, { latitude: point[0], longitude: point[1] });
  }, 0);
}

/// Creates the controls in `#device-past`. `onTrail(points)` gets the trail of the period, or nothing; `onPoint(point)` gets
/// the point of it at which the user points. The result has `close()` and `offer(id)`, which names the device.
export function createDeviceHistory(onTrail, onPoint) {
  const chart = createChart(onPoint, () => {});
  const [message, day, end] = [byId("device-past-message"), byId("device-day"), byId("device-past-end")];
  let device;
  // Only the newest request counts.
  let request = 0;

  async function ask(since, until, title) {
    request += 1;
    const mine = request;
    message.textContent = words.readingJournal;
    const query = new URLSearchParams({ device, since: since.toISOString(), until: until.toISOString() });
    const answer = await fetch(`trail.json?${query}`).catch(() => undefined);
    const points = answer?.ok ? await answer.json() : [];
    if (mine !== request) return;
    const isEmpty = points.length === 0;
    const newest = answer?.headers.get("X-Newest");
    const length = distance(lengthOf(points));
    const shown = newest ? say(words.newestOnly, length, Number(newest).toLocaleString()) : length;
    const found = isEmpty ? say(words.nothingThen, title) : say(words.pastLength, title, shown);
    message.textContent = answer?.ok ? found : answer ? await answer.text() : words.noAnswer;
    end.hidden = isEmpty;
    chart.show(points);
    onTrail(isEmpty ? undefined : points);
  }

  function close() {
    request += 1;
    message.textContent = day.value = "";
    if (end.hidden) return;
    end.hidden = true;
    chart.show();
    onTrail(undefined);
  }

  for (const button of document.querySelectorAll("#device-past [data-hours]")) {
    button.addEventListener("click", () => {
      day.value = "";
      const now = new Date();
      ask(new Date(now - button.dataset.hours * 3_600_000), now, say(words.last, button.textContent));
    });
  }
  day.addEventListener("change", () => {
    if (!day.value) return;
    const since = midnight(day.value);
    ask(since, midnight(day.value, 1), new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }).format(since));
  });
  end.addEventListener("click", close);
  day.max = fieldText(new Date()).slice(0, 10);

  return {
    close,
    offer(id) {
      if (id !== device) close();
      device = id;
    },
  };
}
