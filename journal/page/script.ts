/** The page's script: it filters, opens, and shows the reasons on hover and focus. */
export const script = `
"use strict";
const by = (id) => document.getElementById(id);
const drains = [...document.querySelectorAll(".drain")];
const tip = by("tip");
const opened = new Set(drains.filter((drain) => drain.open));

function filter() {
  const words = by("text").value.trim().toLowerCase();
  const state = by("state").value;
  let shown = 0;
  for (const drain of drains) {
    const rows = [...drain.querySelectorAll(".row")];
    const named = drain.dataset.text.includes(words);
    const found = rows.filter((row) => row.dataset.text.includes(words));
    const held = state !== "held" || rows.some((row) => row.dataset.state === "held");
    const fits = state === "" || state === drain.dataset.state || (state === "held" && held);
    drain.hidden = !(fits && (named || found.length > 0));
    for (const row of rows) row.hidden = !named && !found.includes(row);
    for (const group of drain.querySelectorAll("tbody"))
      group.hidden = group.querySelector(".row:not([hidden])") === null;
    if (words !== "" && !named && !drain.hidden) drain.open = true;
    if (words === "") drain.open = opened.has(drain);
    if (!drain.hidden) shown += 1;
  }
  const all = drains.length + " " + by("count").dataset.noun + (drains.length === 1 ? "" : "s");
  by("count").textContent = shown === drains.length ? all : shown + " of " + all;
}

function tell(target) {
  const part = target instanceof Element ? target.closest("[data-reason],.bar[tabindex]") : null;
  if (part === null) return hush();
  const parts = part.dataset.reason === undefined ? [...part.querySelectorAll("[data-reason]")] : [part];
  tip.replaceChildren(...parts.slice(0, 12).map(({ dataset }) => {
    const words = document.createElement("p");
    words.textContent = dataset.reason;
    return words;
  }));
  tip.hidden = false;
  const at = part.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  const left = Math.max(8, Math.min(at.left, innerWidth - width - 8));
  const below = at.bottom + 8 + height < innerHeight;
  tip.style.left = left + scrollX + "px";
  tip.style.top = (below ? at.bottom + 8 : at.top - height - 8) + scrollY + "px";
}

const hush = () => { tip.hidden = true; };

by("text").addEventListener("input", filter);
by("state").addEventListener("input", filter);
by("filters").addEventListener("submit", (event) => event.preventDefault());
by("all").addEventListener("click", () => {
  const open = drains.some((drain) => !drain.hidden && !drain.open);
  for (const drain of drains) if (!drain.hidden) drain.open = open;
});
for (const drain of drains)
  drain.addEventListener("toggle", () => {
    if (by("text").value === "") opened[drain.open ? "add" : "delete"](drain);
    by("all").textContent = drains.some((one) => !one.hidden && !one.open) ? "Open all" : "Close all";
  });
document.addEventListener("pointerover", (event) => tell(event.target));
document.addEventListener("focusin", (event) => tell(event.target));
document.addEventListener("focusout", hush);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hush(); });
addEventListener("beforeprint", () => { for (const drain of drains) drain.open = true; });
addEventListener("afterprint", () => { for (const drain of drains) drain.open = opened.has(drain); });
by("all").textContent = drains.some((one) => !one.open) ? "Open all" : "Close all";
`;
