// Looking back: a day, or from when to when, out of the daemon's journal.

import { system } from "./units.js";

const element = (id) => document.getElementById(id);
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "long" });
const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/// What a field for a time takes, in the browser's zone: "2026-05-06T23:54".
function fieldText(time) {
  return new Date(time - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function midnight(day, days = 0) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(year, month - 1, date + days);
}

/// Makes the controls in `#past`. `onPast(past)` gets what was found, with a `title`; `onLive()` is called when somebody
/// wants to see again what is now. The result has `offer(location)`, which shows the controls.
export function createHistory(onPast, onLive) {
  const [since, until, day, message, live] = ["past-since", "past-until", "past-day", "past-message", "past-live"].map(element);
  let isOffered = false;
  // Only the newest question counts.
  let question = 0;

  async function ask(start, end, title) {
    question += 1;
    const mine = question;
    message.textContent = "Reading the journal.";
    const query = new URLSearchParams({
      since: start.toISOString(), until: end.toISOString(), offset: String(-60 * start.getTimezoneOffset()),
      units: system,
    });
    let past;
    let failure = "";
    try {
      const answer = await fetch(`history.json?${query}`);
      if (answer.ok) past = await answer.json();
      else failure = await answer.text();
    } catch {
      failure = "rxlocationd does not answer.";
    }
    if (mine !== question) return;
    message.textContent = failure || (past.trail.length === 0 ? `The journal has no fix of that time.` : "");
    if (!past || past.trail.length === 0) return;
    live.hidden = false;
    onPast({ ...past, title });
  }

  function askForDay() {
    if (!day.value) return;
    const [start, end] = [midnight(day.value), midnight(day.value, 1)];
    [since.value, until.value] = [fieldText(start), fieldText(end)];
    ask(start, end, dayFormat.format(start));
  }

  day.addEventListener("change", askForDay);
  element("past-form").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!since.value || !until.value) return askForDay();
    const [start, end] = [new Date(since.value), new Date(until.value)];
    if (start >= end) {
      message.textContent = "The end must be later than the beginning.";
      return;
    }
    ask(start, end, timeFormat.formatRange(start, end));
  });
  live.addEventListener("click", () => {
    question += 1;
    live.hidden = true;
    message.textContent = "";
    onLive();
  });

  return {
    /// Shows the controls, with the day of a location, or with today.
    offer(location) {
      if (isOffered) return;
      isOffered = true;
      const now = fieldText(location?.time ? new Date(location.time) : new Date());
      day.value = now.slice(0, 10);
      element("past").hidden = false;
    },
  };
}
