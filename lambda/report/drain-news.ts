import { counted } from "../base/counted.ts";
import { between, type Instant, spoken, timestamp } from "../base/time.ts";
import type { AnyEntry } from "../notice/entry.ts";
import { startNote } from "./drain-events.ts";
import { commonEvents, eventsOf } from "./event-table.ts";
import type { LastingHolds } from "./holds.ts";
import type { PassFacts } from "./pass-facts.ts";
import type { News } from "./report-entry.ts";
import { type HeardEntry, isOutcome, type ReportedEntry } from "./reported-entry.ts";

/** News that this pass sends, unless an earlier pass has sent them. */
export interface Tellable {
  readonly news: News;
  /** The new value of the node's annotation; `null` where the instance stays in service and may be drained again. */
  readonly leaves: News["news"] | null;
}

/** The facts of a drain that a pass knows. */
export interface NewsPass {
  readonly story: PassFacts;
  readonly begun: Instant;
  readonly entries: readonly AnyEntry[];
}

/** The outcomes that end a drain. After any other, such as `ignored`, another notice continues the drain. */
const isEnding = isOutcome(
  "drained",
  "forced",
  "expired",
  "kept",
  "no-node",
  "instance-ended",
  "nothing-left",
  "released-elsewhere",
);

/**
 * Whether news are the first of their kind, according to the node's annotation; `undefined` where the annotation does not
 * say.
 */
export function isFirst(news: News["news"], latest: string | undefined, begun: boolean): boolean {
  if (news === "end") return latest === undefined ? begun : latest !== "end";
  return latest === undefined || (news === "block" && latest === "start");
}

type Reportable = LastingHolds | ReportedEntry;
type NewsKind = "holds-last" | "mark-undone" | "notice-done" | "pods-protected" | "pods-seen";
type NewsEntry = HeardEntry<Extract<Reportable, { readonly kind: NewsKind }>>;

const newsKinds: Readonly<Record<NewsKind, News["news"]>> = {
  "pods-seen": "start",
  "holds-last": "block",
  "pods-protected": "block",
  "mark-undone": "end",
  "notice-done": "end",
};

const isNews = (happening: HeardEntry): happening is NewsEntry =>
  Object.hasOwn(newsKinds, happening.kind);

/** The news that an entry of a pass gives rise to. */
export const newsOf = (happening: HeardEntry, pass: NewsPass): readonly Tellable[] =>
  isNews(happening) ? newsIn(happening, pass) : [];

function newsIn(happening: NewsEntry, pass: NewsPass): readonly Tellable[] {
  const { story } = pass;
  const news = kindOf(happening);
  const node = "node" in happening ? happening.node : story.node;
  if (news === undefined || node === "") return [];
  const event = eventsOf(commonEvents, happening, story).find(({ on }) => on === "node");
  const tone = event?.type === "Warning" ? "warning" : "good";
  const advice = tone === "good" ? "" : adviceOn(happening, story);
  const said = happening.kind === "pods-seen" ? startNote(happening, story) : event?.note;
  const text = `${said ?? ""}${figuresOf(happening, pass)}`.trimStart();
  const leaves = livesOn(happening) ? null : news;
  return [{ news: { news, tone, node, since: timestamp(happening.at), text, advice }, leaves }];
}

const livesOn = (happening: NewsEntry): boolean =>
  happening.kind === "mark-undone" ||
  (happening.kind === "notice-done" && happening.outcome.kind === "kept");

/** Which news an entry is; after some outcomes another notice goes on with the drain. */
const kindOf = (happening: NewsEntry): News["news"] | undefined =>
  happening.kind === "notice-done" && !isEnding(happening.outcome)
    ? undefined
    : newsKinds[happening.kind];

/**
 * The figures at the end of a drain. They count pods only if a single pass did the whole drain; the timeline counts those of
 * several passes.
 */
function figuresOf(happening: NewsEntry, { story, begun, entries }: NewsPass): string {
  if (happening.kind !== "notice-done") return "";
  const ended = `${happening.outcome.kind}, after ${spoken(between(begun, happening.at))}`;
  if (story.receives > 1) return ` (${ended})`;
  const count = (kind: ReportedEntry["kind"]) =>
    entries.filter((entry) => entry.kind === kind).length;
  return ` (${ended}; ${counted(count("pod-evicted"), "pod")} evicted, ${count("pod-deleted")} deleted)`;
}

function adviceOn(happening: NewsEntry, { deadline }: PassFacts): string {
  const before = deadline === "" ? "" : ` before ${deadline}`;
  switch (happening.kind) {
    case "holds-last": {
      const budgets = happening.holds.map(({ budget }) => budget).join(", ");
      return `Repair the pods of budget ${budgets}, or let it allow a disruption${before}: docs/runbook.md#a-drain-takes-long`;
    }
    case "pods-protected":
      return `Remove the protection of these pods if they may go${before}: docs/runbook.md#a-drain-takes-long`;
    case "notice-done":
      return `docs/runbook.md says under "Outcome ${happening.outcome.kind}" what to do`;
    default:
      return "";
  }
}
