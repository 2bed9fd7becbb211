import {
  between,
  milliseconds,
  minutes,
  never,
  spoken,
  timestamp,
} from "../../lambda/base/time.ts";
import { deadlineWords, type Picture } from "../picture.ts";
import { clock, shortName, type TimelineRow } from "../timeline.ts";
import { type Axis, axisOf, barOf, classOf, quietBar } from "./bar.ts";
import { html, type Markup } from "./html.ts";

/** One drain: a line with its result and, when opened, its timeline as a table. */
export function drainSection(picture: Picture, all: Axis, open: "open" | "closed"): Markup {
  const { instance, node, state, words, rows } = picture;
  const name = nameOf(picture);
  const deadline = deadlineWords(picture);
  return html`<details class="drain" data-state="${classOf(state)}" data-text="${[instance, node, picture.group].join(" ").toLowerCase()}"${open === "open" ? html` open` : ""}>
<summary><span class="badge ${classOf(state)}">${badges[state]}</span><bdi class="name">${name}</bdi>
${quietBar(inShort(picture), { ...all, deadline: picture.deadline })}
<span class="words">${words}${deadline === "" ? "" : `; ${deadline}`}</span></summary>
<p class="facts">${whoseOf(picture)}. ${timesOf(picture)}</p>
${rows.length === 0 ? html`<p class="facts">There is nothing to draw.</p>` : tableOf(picture)}
</details>`;
}

const nameOf = ({ instance, node, group }: Picture): string =>
  node === "" ? instance || group : shortName(node);

const whoseOf = ({ instance, group, node }: Picture): Markup =>
  instance === ""
    ? ownerOf({ node, group })
    : html`Instance <bdi>${instance}</bdi>${group === "" ? "" : html` of group <bdi>${group}</bdi>`}${node === "" ? "" : html`, node <bdi>${node}</bdi>`}`;

/** The node of a drain, or the group of other work. */
const ownerOf = ({ node, group }: Pick<Picture, "group" | "node">): Markup =>
  node === "" ? html`Group <bdi>${group}</bdi>` : html`Node <bdi>${node}</bdi>`;

const badges: Readonly<Record<Picture["state"], string>> = {
  done: "done",
  careful: "to check",
  "not done": "not done",
  "under way": "under way",
};

function tableOf(picture: Picture): Markup {
  const { rows } = picture;
  const axis = axisOf(picture);
  return html`<table><caption>Timeline of <bdi>${nameOf(picture)}</bdi></caption>
<thead><tr><th scope="col">What</th><th scope="col"><span class="unseen">When</span>${scaleOf(axis)}</th><th scope="col">What happened</th></tr></thead>
${groups.map(({ kinds, title }) =>
  groupOf(
    title,
    rows.filter(({ kind }) => kinds.includes(kind)),
    axis,
  ),
)}
</table>`;
}

const groups: readonly {
  readonly title: string;
  readonly kinds: readonly TimelineRow["kind"][];
}[] = [
  { title: "Phases", kinds: ["phase"] },
  { title: "Old nodes", kinds: ["old"] },
  { title: "New nodes, sizes and waits", kinds: ["fresh", "sizes", "waits"] },
  { title: "Node", kinds: ["node"] },
  { title: "Pods", kinds: ["pod"] },
  { title: "Ordinary pods", kinds: ["ordinary"] },
  { title: "Critical pods, which leave last", kinds: ["critical"] },
  { title: "Room elsewhere", kinds: ["room"] },
  { title: "Volumes and load balancers", kinds: ["volumes", "balancers"] },
  { title: "Hook and passes", kinds: ["hook", "passes"] },
];

const groupOf = (title: string, rows: readonly TimelineRow[], axis: Axis): Markup =>
  rows.length === 0
    ? html``
    : html`<tbody><tr class="group"><th colspan="3" scope="rowgroup">${title}</th></tr>
${rows.map((row) => rowOf(row, axis))}</tbody>`;

const rowOf = (row: TimelineRow, axis: Axis): Markup =>
  html`<tr class="row" data-state="${row.state}" data-text="${`${row.label} ${row.note}`.toLowerCase()}"><th scope="row"><bdi>${row.label}</bdi></th><td>${barOf(row, axis)}</td><td class="note">${row.note}</td></tr>
`;

const ticks = [0, 1, 2, 3, 4];

const scaleOf = (axis: Axis): Markup => {
  const length = between(axis.from, axis.to);
  const words = length < minutes(2) ? clock : spoken;
  return html`<span class="scale" aria-hidden="true">${ticks.map((tick) => html`<span>${words(milliseconds((length * tick) / (ticks.length - 1)))}</span>`)}</span>`;
};

function timesOf({ from, to, deadline, state }: Picture): string {
  const end = state === "under way" ? "last heard of" : "over";
  const until = deadline === never ? "" : `; its deadline is ${minuteOf(deadline)}`;
  return `Begun ${minuteOf(from)}, ${end} ${minuteOf(to)}${until}.`;
}

const minuteOf = (at: Picture["from"]): string =>
  `${timestamp(at).slice(0, 19).replace("T", " ")} UTC`;

/** A whole drain in one bar: how long it lasted, and when something held it. */
const inShort = ({ rows, from, to, words }: Picture): Pick<TimelineRow, "marks" | "spans"> => ({
  spans: [
    { kind: "on the node", from, to, reason: words },
    ...rows.flatMap(({ spans }) => spans.filter(({ kind }) => kind === "held")),
  ],
  marks: rows.flatMap(({ kind, marks }) =>
    kind === "hook" || kind === "old" ? marks.filter((mark) => mark.kind === "done") : [],
  ),
});
