import { createHash } from "node:crypto";
import { counted } from "../../lambda/base/counted.ts";
import { between, earliest, latest, never, timestamp } from "../../lambda/base/time.ts";
import type { Picture } from "../picture.ts";
import { type Axis, shapes } from "./bar.ts";
import { drainSection } from "./drain-section.ts";
import { html, type Markup } from "./html.ts";
import { script } from "./script.ts";
import { style } from "./style.ts";

/** The content of a page. */
export interface PageStory {
  readonly title: string;
  /** A sentence below the title: the source of the data, and when it was read. */
  readonly source: string;
  readonly drains: readonly Picture[];
}

/** With more drains than this, only unfinished ones are open. */
const mostOpen = 3;

/** Draws drains as one HTML file without external resources. */
export function pageOf({ title, source, drains }: PageStory): string {
  const all = axisOfAll(drains);
  const isOpen = (index: number) =>
    drains.length <= mostOpen && index < mostOpen ? "open" : "closed";
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '${hashOf(style)}'; script-src '${hashOf(script)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${{ markup: style }}</style>
</head>
<body>
<header><h1>${title}</h1><p>${source}</p></header>
<main>
${filters(drains)}
${legend(drains)}
${drains.length > 1 ? overview(all) : html``}
${drains.map((picture, index) => drainSection(picture, all, isOpen(index)))}
</main>
<div id="tip" hidden></div>
<script>${{ markup: script }}</script>
</body>
</html>
`;
  return page.markup;
}

/** The hash of the style or script for the content security policy, which allows no others. */
const hashOf = (text: string): string =>
  `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** The time from the first beginning to the last end. It includes the deadlines, unless these are much later. */
function axisOfAll(drains: readonly Picture[]): Axis {
  const [first, ...others] = drains;
  if (first === undefined) return { from: never, to: never, deadline: never };
  const from = earliest(first.from, ...others.map((drain) => drain.from));
  const to = latest(first.to, ...others.map((drain) => drain.to));
  const known = drains.map(({ deadline }) => deadline).filter((deadline) => deadline !== never);
  const last = latest(to, ...known);
  return { from, to: between(from, last) <= 3 * between(from, to) ? last : to, deadline: never };
}

const choices = [
  ["", "everything"],
  ["done", "done"],
  ["careful", "done, to be checked"],
  ["not-done", "not done"],
  ["under-way", "under way"],
  ["held", "with a pod that is held"],
] as const;

const filters = (drains: readonly Picture[]): Markup =>
  html`<form id="filters" role="search" aria-label="Filter">
<label>Find <input type="search" id="text" placeholder="node, instance, pod or budget" autocomplete="off"></label>
<label>Show <select id="state">${choices.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select></label>
<output id="count" aria-live="polite" data-noun="${nounOf(drains)}">${countWords(drains)}</output>
<button type="button" id="all">Open all</button>
</form>`;

/** The times above the bars of all drains. */
const overview = ({ from, to }: Axis): Markup =>
  html`<p class="overview" aria-hidden="true"><span><span>${timeOf(from)}</span><span>${timeOf(to)}</span></span></p>`;

const timeOf = (at: Axis["from"]): string => `${timestamp(at).slice(0, 16).replace("T", " ")} UTC`;

/** The noun for the things that the page counts. */
const nounOf = (drains: readonly Picture[]): string =>
  drains.some(({ instance, node }) => instance === "" && node === "") ? "timeline" : "drain";

const countWords = (drains: readonly Picture[]): string => counted(drains.length, nounOf(drains));

const ofUpgrades = "phase of an upgrade";

const signs = [
  ["span on-the-node", "on the node"],
  ["span held", "held by a budget"],
  ["span ending", "ending"],
  ["span awaited", "volumes or load balancers awaited"],
  ["span pass", "pass"],
  ["span phase", ofUpgrades],
] as const;

const points = [
  ["done", "done"],
  ["elsewhere", "running elsewhere"],
  ["heartbeat", "heartbeat"],
  ["fault", "fault"],
] as const;

const legend = (
  drains: readonly Picture[],
): Markup => html`<svg class="unseen" aria-hidden="true"><defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch-ground" width="6" height="6"/><rect class="hatch-line" width="3" height="6"/></pattern><pattern id="dots" width="6" height="6" patternUnits="userSpaceOnUse"><rect class="dots-ground" width="6" height="6"/><circle class="dots-dot" cx="3" cy="3" r="1.5"/></pattern></defs></svg>
<ul class="legend" aria-label="Signs">${signs.filter(([, words]) => words !== ofUpgrades || nounOf(drains) !== "drain").map(([kind, words]) => html`<li><svg class="key" aria-hidden="true"><rect class="${kind}" width="100%"/></svg>${words}</li>`)}
${points.map(([kind, words]) => html`<li><svg class="key point" viewBox="-6 -6 12 12" aria-hidden="true"><path class="mark ${kind}" d="${shapes[kind]}"/></svg>${words}</li>`)}
<li><svg class="key point" aria-hidden="true"><line class="deadline" x1="50%" x2="50%" y2="100%"/></svg>deadline</li></ul>`;
