import { counted } from "../base/counted.ts";
import type { InstanceId } from "../base/ids.ts";
import { between, type Instant, instant, later, seconds, spoken } from "../base/time.ts";
import type { Dated } from "../registrations/entry.ts";
import { eventsOf } from "../registrations/event-table.ts";
import { byNode } from "../report/holds.ts";
import { type Story, storyAfter } from "../report/story.ts";
import type { News, OfInstance } from "./news.ts";

/** News, and the entry that makes it news. */
export interface Told {
  readonly news: News;
  readonly by: OfInstance;
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
export function newsOf(instance: InstanceId, entries: readonly OfInstance[]): readonly Told[] {
  const told: Told[] = [];
  let drain = noDrain(instance, "");
  for (const entry of entries) {
    // Another token is that of another drain. Notices without a hook have none, and belong to the drain that is going on.
    const { token = "" } = entry;
    const isOther = token !== "" && drain.token !== "" && token !== drain.token;
    drain = withEntry(isOther ? noDrain(instance, token) : drain, entry);
    const kind = kindOf(drain.stage, entry);
    if (kind === undefined || (kind === "block" && isBrief(entry, entries))) continue;
    told.push({ by: entry, news: newsIn(kind, drain, entry) });
    drain = withNews(drain, kind, entry);
  }
  return told;
}

function withEntry(drain: Drain, entry: Dated): Drain {
  const story = storyAfter(drain.story, entry);
  return {
    ...drain,
    token: drain.token || (entry.token ?? ""),
    story: entry.kind === "pods-seen" ? { ...story, node: entry.node } : story,
    evicted: drain.evicted + (entry.kind === "pod-evicted" ? 1 : 0),
    deleted: drain.deleted + (entry.kind === "pod-deleted" ? 1 : 0),
  };
}

/** What an entry is in a drain that stands there. */
function kindOf(stage: Drain["stage"], entry: Dated): News["kind"] | undefined {
  if (stage === "none") return entry.kind === "pods-seen" ? "start" : undefined;
  if (stage === "over") return undefined;
  if (entry.kind === "notice-done") return "end";
  return stage === "begun" && isHold(entry) ? "block" : undefined;
}

/** Whether an entry says that something holds pods. */
export const isHold = ({ kind }: Dated): boolean =>
  kind === "pods-held" || kind === "pods-protected";

/** A budget that lets a pod go within this time is none to tell of: it takes its turns. */
export const brief = seconds(20);

const isBrief = (hold: Dated, entries: readonly Dated[]): boolean =>
  entries.some(
    (one) =>
      one.kind === "pods-freed" &&
      hold.kind === "pods-held" &&
      one.budget === hold.budget &&
      one.at >= hold.at &&
      one.at <= later(hold.at, brief),
  );

function withNews(drain: Drain, kind: News["kind"], entry: Dated): Drain {
  if (kind === "start") return { ...drain, stage: "begun", began: entry.at };
  if (kind === "block") return { ...drain, stage: "blocked" };
  const outcome = entry.kind === "notice-done" ? entry.outcome.kind : "";
  // The instance lives on, and may be drained again.
  const livesOn = outcome === "kept" || outcome === "called-off";
  return livesOn ? noDrain(drain.instance, drain.token) : { ...drain, stage: "over" };
}

function newsIn(kind: News["kind"], drain: Drain, entry: Dated): News {
  const { story } = drain;
  const said = entry.kind === "pods-held" ? byNode([entry]) : [entry];
  const event = said.flatMap((one) => eventsOf(one, story)).find(({ on }) => on === "node");
  const isCalm = event?.type !== "Warning";
  return {
    kind,
    tone: isCalm ? "good" : "warning",
    instance: drain.instance,
    group: entry.group ?? "",
    node: story.node,
    at: entry.at,
    text: `${event?.note ?? ""}${figuresOf(drain, entry)}`.trimStart(),
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
