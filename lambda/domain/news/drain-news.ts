import { counted } from "../counted.ts";
import type { Dated } from "../entry.ts";
import type { InstanceId } from "../ids.ts";
import type { Outcome } from "../notice/outcome.ts";
import { eventsOf } from "../report/event-table.ts";
import { type Story, storyAfter } from "../report/story.ts";
import { between, type Instant, instant, spoken } from "../time.ts";
import type { News } from "./news.ts";

/** News, and the entry that makes it news. */
export interface Told {
  readonly news: News;
  readonly by: Dated;
}

/** What the entries so far say about the drain of an instance. */
interface Drain {
  readonly instance: InstanceId;
  readonly token: string;
  readonly stage: "none" | "begun" | "blocked" | "over";
  readonly began: Instant;
  readonly story: Story;
  readonly evicted: number;
  readonly deleted: number;
}

const noDrain = (instance: InstanceId, token: string): Drain => ({
  instance,
  token,
  stage: "none",
  began: instant(0),
  story: { instance, receives: 1, node: "", reason: "drain", mark: "set now", deadline: "" },
  evicted: 0,
  deleted: 0,
});

/** The news among the entries of an instance, the oldest entry first: each of the three kinds once for each drain. */
export function newsOf(instance: InstanceId, entries: readonly Dated[]): readonly Told[] {
  const told: Told[] = [];
  let drain = noDrain(instance, "");
  for (const entry of entries) {
    drain = withEntry(drain, entry);
    const kind = kindOf(drain, entry);
    if (kind === undefined) continue;
    told.push({ by: entry, news: newsIn(kind, drain, entry) });
    drain = withNews(drain, kind, entry);
  }
  return told;
}

/** Another token is that of another drain. Notices without a hook have none, and belong to the drain that is going on. */
function withEntry(before: Drain, entry: Dated): Drain {
  const { token = "" } = entry;
  const isOther = token !== "" && before.token !== "" && token !== before.token;
  const drain = isOther ? noDrain(before.instance, token) : before;
  const story = storyAfter(drain.story, entry);
  return {
    ...drain,
    token: drain.token || token,
    story: entry.kind === "pods-seen" ? { ...story, node: entry.node } : story,
    evicted: drain.evicted + (entry.kind === "pod-evicted" ? 1 : 0),
    deleted: drain.deleted + (entry.kind === "pod-deleted" ? 1 : 0),
  };
}

/** What an entry of this kind is in a drain that stands there. */
function kindOf({ stage }: Drain, { kind }: Dated): News["kind"] | undefined {
  switch (stage) {
    case "none":
      return kind === "pods-seen" ? "start" : undefined;
    case "begun":
      return holds.has(kind) ? "block" : endOf(kind);
    case "blocked":
      return endOf(kind);
    case "over":
      return undefined;
  }
}

const holds = new Set<Dated["kind"]>(["pods-held", "pods-protected"]);

const endOf = (kind: Dated["kind"]): "end" | undefined =>
  kind === "notice-done" ? "end" : undefined;

function withNews(drain: Drain, kind: News["kind"], entry: Dated): Drain {
  if (kind === "start") return { ...drain, stage: "begun", began: entry.at };
  if (kind === "block") return { ...drain, stage: "blocked" };
  const livesOn = entry.kind === "notice-done" && !endings.has(entry.outcome.kind);
  return livesOn ? noDrain(drain.instance, drain.token) : { ...drain, stage: "over" };
}

/** The outcomes after which the instance goes, so that no further drain of it begins. */
const endings = new Set<Outcome["kind"]>([
  "drained",
  "expired",
  "forced",
  "instance-ended",
  "no-node",
  "node-removed",
  "nothing-left",
  "released-elsewhere",
]);

function newsIn(kind: News["kind"], drain: Drain, entry: Dated): News {
  const { instance, story } = drain;
  const { node } = story;
  const event = eventsOf(entry, story).find(({ on }) => on === "node");
  const isCalm = kind === "start" || event?.type === "Normal";
  return {
    kind,
    tone: isCalm ? "good" : "warning",
    instance,
    group: entry.group ?? "",
    node,
    at: entry.at,
    text: (event?.note ?? "") + figuresOf(drain, entry),
    advice: isCalm ? "" : adviceOn(story, entry),
  };
}

function figuresOf({ began, evicted, deleted }: Drain, entry: Dated): string {
  if (entry.kind !== "notice-done") return "";
  const took = spoken(between(began, entry.at));
  return ` (${entry.outcome.kind}, after ${took}; ${counted(evicted, "pod")} evicted, ${deleted} deleted)`;
}

function adviceOn({ deadline }: Story, entry: Dated): string {
  const before = deadline === "" ? "" : ` before ${deadline}`;
  switch (entry.kind) {
    case "pods-held":
      return `Repair the pods of budget ${entry.budget}, or let it allow a disruption${before}: docs/runbook.md#a-drain-takes-long`;
    case "pods-protected":
      return `Remove the protection of these pods if they may go${before}: docs/runbook.md#a-drain-takes-long`;
    case "notice-done":
      return `docs/runbook.md says under "Outcome ${entry.outcome.kind}" what to do`;
    default:
      return "";
  }
}
