// A month of days, of which those with data can be chosen.

import { dayText, midnight } from "./days.js";
import { words } from "./words.js";

/// Creates a calendar in an element. `onDay(day)` gets the chosen day, such as "2026-05-06". The result has
/// `show(days, chosen)`, which takes the days with data.
export function createCalendar(element, onDay) {
  const monthFormat = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric" });
  const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "full" });
  const weekday = new Intl.DateTimeFormat(undefined, { weekday: "narrow" });
  const locale = new Intl.Locale(navigator.language || "en");
  // 1 is Monday and 7 is Sunday, where the browser knows it.
  const firstWeekday = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
  let [days, chosen, month] = [new Set(), "", ""];

  function button(text, label, isEnabled, onClick) {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, disabled: !isEnabled });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", onClick);
    return made;
  }

  function turn(months) {
    const [year, number] = month.split("-").map(Number);
    month = dayText(new Date(year, number - 1 + months, 1)).slice(0, 7);
    draw();
  }

  function draw() {
    element.hidden = days.size === 0;
    if (element.hidden) return;
    const first = midnight(`${month}-01`);
    const months = [...days].map((day) => day.slice(0, 7));
    const title = Object.assign(document.createElement("strong"), { textContent: monthFormat.format(first) });
    const head = document.createElement("div");
    head.className = "calendar-head";
    head.append(
      button("‹", words.monthBefore, months.some((one) => one < month), () => turn(-1)), title,
      button("›", words.monthAfter, months.some((one) => one > month), () => turn(1)));
    const grid = document.createElement("div");
    grid.className = "calendar-days";
    // 5 January 2026 is a Monday.
    for (let place = 0; place < 7; place += 1) {
      grid.append(Object.assign(document.createElement("small"), {
        textContent: weekday.format(new Date(2026, 0, 4 + firstWeekday + place)), ariaHidden: "true" }));
    }
    const last = new Date(first.getFullYear(), first.getMonth() + 1, 0).getDate();
    for (let number = 1; number <= last; number += 1) {
      const day = `${month}-${String(number).padStart(2, "0")}`;
      const one = button(String(number), dayFormat.format(midnight(day)), days.has(day), () => onDay(day));
      one.setAttribute("aria-pressed", String(day === chosen));
      if (number === 1) one.style.gridColumnStart = ((first.getDay() + 7 - (firstWeekday % 7)) % 7) + 1;
      grid.append(one);
    }
    element.replaceChildren(head, grid);
  }

  return {
    show(withData, day) {
      [days, chosen] = [new Set(withData), day];
      month = (day || withData.at(-1) || dayText(new Date())).slice(0, 7);
      draw();
    },
  };
}
