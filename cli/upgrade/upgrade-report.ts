import {
  between,
  hours,
  type Instant,
  milliseconds,
  timestamp,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import type { Fleet, FleetInstance } from "../../lambda/group/fleet.ts";
import type { Bookmark, Ended } from "../../lambda/upgrade/bookmark.ts";
import { tryEnded, type Waiting } from "../../lambda/upgrade/bookmark-tags.ts";
import { isValidated } from "../../lambda/upgrade/node-marks.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { progressOf } from "../../lambda/upgrade/progress.ts";
import { readBookmark } from "../../lambda/upgrade/read-bookmark.ts";
import { stalenessOf, type Targets } from "../../lambda/upgrade/staleness.ts";
import { suspensionOf } from "../../lambda/upgrade/waits.ts";
import { openFrom } from "../../lambda/upgrade/window.ts";
import type { UpgradedNode, UpgradeReport } from "./upgrade-schema.ts";

/** A group as somebody sees it at one moment. */
export interface Seen {
  readonly cluster: string;
  readonly fleet: Fleet;
  readonly nodes: readonly MachineNode[];
  /** What overrides of a mixed instances policy launch by, with templates of their own. */
  readonly overrides: Targets;
  readonly now: Instant;
}

// A pass writes every ten minutes at least that it has looked.
const longestSilence = hours(1);

/** Whether an upgrade should go on, and nobody has looked at it for long. */
export const isUnanswered = ({ state, seen, options }: Bookmark, now: Instant): boolean =>
  state !== "paused" &&
  openFrom(options.window, now) === "open" &&
  between(seen, now) > longestSilence;

/** When the maintenance window of an upgrade opens; empty while it is open. */
export function opensAt({ window }: Pick<UpgradeOptions, "window">, now: Instant): string {
  const opens = openFrom(window, now);
  return opens === "open" ? "" : timestamp(opens);
}

/** Whether a waiting upgrade should have begun long ago, and its message is lost. */
export const isOverdue = ({ until }: Pick<Waiting, "until">, now: Instant): boolean =>
  between(until, now) > longestSilence;

/** What is told of a group's upgrade, without the pods that are left. */
export function upgradeReport(seen: Seen): UpgradeReport {
  const { fleet, cluster, now } = seen;
  const ended = tryEnded(fleet.tags);
  const about = { kind: "upgrade" as const, cluster, group: fleet.name, at: timestamp(now) };
  const last = ended === undefined ? null : lastOf(ended);
  const reading = readBookmark(fleet.tags);
  if (reading.kind === "bookmark")
    return { ...about, ...whatIs(reading.bookmark, seen), sizes: fleet.sizes, last };
  if (reading.kind === "waiting") {
    const { id, until } = reading;
    const waiting = { id, opens: timestamp(until), unanswered: isOverdue(reading, now) };
    const state = reading.kind;
    return { ...about, ...nothing, ...waiting, state, issue: "", sizes: fleet.sizes, last };
  }
  const state = reading.kind;
  const issue = state === "none" ? "" : `the tag ${reading.key} says ${reading.text || "nothing"}`;
  return { ...about, ...nothing, state, issue, sizes: fleet.sizes, last };
}

const lastOf = ({ id, outcome, at, issue }: Ended) => ({ id, outcome, at: timestamp(at), issue });

const nothing = {
  ...{ opens: "", id: "", phase: "", begun: "", seen: "", cordon: "", unanswered: false },
  ...{ to: null, sizesBefore: null, total: 0, replaced: 0, secondsLeft: null, nodes: [] },
};

function whatIs(bookmark: Bookmark, seen: Seen) {
  const nodes = seen.fleet.instances.map((instance) => nodeState(instance, bookmark, seen));
  const old = nodes.filter(({ state }) => isOld(state)).length;
  const total = Math.max(bookmark.before.sizes.desired, old);
  const replaced = bookmark.phase === "set-up" ? 0 : total - old;
  const { id, phase, state, begun, to } = bookmark;
  const suspended = suspensionOf(seen.fleet)?.message ?? "";
  const issue = [bookmark.issue, suspended].filter((one) => one !== "").join("; ");
  return {
    opens: opensAt(bookmark.options, seen.now),
    ...{ id, phase, state, issue, to, nodes, total, replaced },
    begun: timestamp(begun),
    cordon: bookmark.options.cordon === "one-by-one" ? "one-by-one" : "all",
    seen: timestamp(bookmark.seen),
    unanswered: isUnanswered(bookmark, seen.now),
    sizesBefore: bookmark.before.sizes,
    secondsLeft: timeLeft({ replaced, old }, between(begun, seen.now)),
  };
}

/** By the time that the nodes so far took; unknown before the first is done. */
const timeLeft = (
  { replaced, old }: { readonly replaced: number; readonly old: number },
  taken: number,
): number | null => (replaced === 0 ? null : wholeSeconds(milliseconds((taken / replaced) * old)));

/** Whether an instance has yet to be replaced. */
export const isOld = (state: UpgradedNode["state"]): boolean =>
  ["old", "draining", "drained", "blocked", "ending"].includes(state);

function nodeState(
  instance: FleetInstance,
  bookmark: Bookmark,
  { nodes, overrides }: Seen,
): UpgradedNode {
  const node = nodes.find((one) => one.instance === instance.id);
  const { to, begun, options } = bookmark;
  const why = stalenessOf(instance, node ?? "absent", {
    targets: [to, ...overrides],
    begun,
    maxAge: options.maxAge,
  });
  const state = why === "none" ? newState(node, bookmark) : oldState(instance, node, bookmark);
  return {
    ...{ instance: instance.id, node: node?.name ?? "", zone: instance.zone, left: [] },
    state: state.kind,
    why: state.why || (why === "none" ? "" : why),
  };
}

interface State {
  readonly kind: UpgradedNode["state"];
  readonly why: string;
}

function newState(node: MachineNode | undefined, { id }: Bookmark): State {
  if (node === undefined) return { kind: "joining", why: "" };
  return { kind: isValidated(node, id) ? "valid" : "new", why: "" };
}

function oldState(
  { state }: FleetInstance,
  node: MachineNode | undefined,
  { id }: Bookmark,
): State {
  if (state.startsWith("Terminat")) return { kind: "ending", why: "" };
  if (node === undefined) return { kind: "old", why: "" };
  const progress = progressOf(node, id);
  if (progress.kind === "untouched") return { kind: "old", why: "" };
  return { kind: progress.kind, why: progress.kind === "blocked" ? progress.left : "" };
}
