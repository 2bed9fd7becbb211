import type { Labels } from "../../lambda/base/labels.ts";
import {
  between,
  hours,
  type Instant,
  inSeconds,
  milliseconds,
  never,
  timestamp,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import type { MachineNode, Node } from "../../lambda/drain/node.ts";
import type { GroupInstance, ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { Bookmark, EndedUpgrade } from "../../lambda/upgrade/bookmark.ts";
import { readBookmark, tryEnded, tryFailing } from "../../lambda/upgrade/bookmark-tags.ts";
import { keepsOld, keptUntil } from "../../lambda/upgrade/keep-old.ts";
import {
  isValidated,
  ownValue,
  progressOf,
  upgradeAnnotations,
} from "../../lambda/upgrade/node-marks.ts";
import { stalenessOf, type TargetVersions } from "../../lambda/upgrade/old-instances.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { trySoakEnd } from "../../lambda/upgrade/soak.ts";
import { closedUntil, suspensionOf } from "../../lambda/upgrade/waits.ts";
import { openFrom } from "../../lambda/upgrade/window.ts";
import type { UpgradedNode, UpgradeReport, UpgradeSummary } from "./upgrade-schema.ts";

/** The facts about a group for the report of its upgrade. */
export interface GroupFacts {
  readonly cluster: string;
  readonly group: ScalingGroup;
  readonly nodes: readonly MachineNode[];
  /** The versions of overrides of a mixed instances policy with templates of their own. */
  readonly overrides: TargetVersions;
  readonly now: Instant;
}

// A pass writes at least every ten minutes that it has looked.
const longestSilence = hours(1);

/** True if an upgrade should go on, but no pass has looked at it for long. */
const isUnanswered = ({ state, seen, options }: Bookmark, now: Instant): boolean =>
  state !== "paused" &&
  openFrom(options.window, now) === "open" &&
  between(seen, now) > longestSilence;

/** When the maintenance window of an upgrade opens; empty while it is open. */
export function opensAt({ window }: Pick<UpgradeOptions, "window">, now: Instant): string {
  const opens = openFrom(window, now);
  return opens === "open" ? "" : timestamp(opens);
}

type ReportedState = Pick<UpgradeSummary, "id" | "issue" | "phase" | "seen" | "unanswered"> &
  Pick<UpgradeReport, "opens" | "state"> & { readonly bookmark: Bookmark | "none" };

/** The state of an upgrade according to the tags of its group. Every report of an upgrade is based on it. */
function upgradeIn(tags: Labels, now: Instant): ReportedState {
  const reading = readBookmark(tags);
  switch (reading.kind) {
    case "bookmark": {
      const { id, state, phase, seen, options } = reading.bookmark;
      const issue = joined(reading.bookmark.issue, failureIn(tags));
      const times = { seen: timestamp(seen), opens: opensAt(options, now) };
      const unanswered = isUnanswered(reading.bookmark, now);
      return { ...times, id, state, phase, issue, unanswered, bookmark: reading.bookmark };
    }
    case "waiting": {
      const { id, kind: state, until } = reading;
      const failure = failureIn(tags);
      const standing = now < until ? closedUntil(until) : "no pass has begun it";
      const issue = failure === "" ? standing : failure;
      const times = { opens: timestamp(until), issue };
      // It should have begun long ago, so its message is lost.
      const unanswered = failure === "" && between(until, now) > longestSilence;
      return { ...nothing, ...times, id, state, unanswered };
    }
    case "unreadable": {
      const issue = `the tag ${reading.key} says ${reading.text || "nothing"}`;
      return { ...nothing, state: reading.kind, issue };
    }
    case "none":
      return { ...nothing, state: reading.kind, issue: "" };
  }
}

/** Which failure holds an upgrade, and since when; empty if none does. */
function failureIn(tags: Labels): string {
  const failing = tryFailing(tags);
  return failing === undefined
    ? ""
    : `its passes have failed since ${inSeconds(timestamp(failing.since))}: ${failing.fault}`;
}

const joined = (...reasons: readonly string[]): string =>
  reasons.filter((one) => one !== "").join("; ");

const nothing = {
  id: "",
  phase: "",
  seen: "",
  opens: "",
  unanswered: false,
  bookmark: "none",
} as const;

/** The report about a group's upgrade, without the remaining pods. */
export function upgradeReport(seen: GroupFacts): UpgradeReport {
  const { group, cluster, now } = seen;
  const { bookmark, ...state } = upgradeIn(group.tags, now);
  const ended = tryEnded(group.tags);
  return {
    kind: "upgrade",
    cluster,
    group: group.name,
    at: timestamp(now),
    ...state,
    ...(bookmark === "none" ? notBegun : course(bookmark, state.issue, seen)),
    sizes: group.sizes,
    last: ended === undefined ? null : lastOf(ended),
  };
}

const lastOf = ({ id, outcome, at, issue }: EndedUpgrade) => ({
  id,
  outcome,
  at: timestamp(at),
  issue,
});

const notBegun = {
  begun: "",
  cordon: "",
  soaksUntil: "",
  keptUntil: "",
  to: null,
  sizesBefore: null,
  total: 0,
  replaced: 0,
  secondsLeft: null,
  nodes: [],
};

function course(bookmark: Bookmark, held: string, seen: GroupFacts) {
  const nodes = seen.group.instances.map((instance) => nodeState(instance, bookmark, seen));
  const old = nodes.filter(({ state }) => isOld(state)).length;
  const { phase, begun, before, to, options } = bookmark;
  const total = Math.max(before.sizes.desired, old);
  const replaced = phase === "set-up" ? 0 : total - old;
  const suspended = suspensionOf(seen.group)?.message ?? "";
  return {
    to,
    nodes,
    total,
    replaced,
    begun: timestamp(begun),
    soaksUntil: soaksUntil(bookmark, seen.now),
    keptUntil: keptUntilText(bookmark, seen.now),
    sizesBefore: before.sizes,
    issue: joined(held, suspended),
    cordon: options.cordon === "one-by-one" ? "one-by-one" : "all",
    secondsLeft: timeLeft({ replaced, old }, between(begun, seen.now)),
  };
}

/** When the soak that lasts is over; empty if none does. */
function soaksUntil(bookmark: Bookmark, now: Instant): string {
  const ends = trySoakEnd(bookmark);
  return ends === undefined || ends <= now || bookmark.state !== "running" ? "" : timestamp(ends);
}

/** When the old nodes that are kept end; empty if none are. */
function keptUntilText(bookmark: Bookmark, now: Instant): string {
  const until = keptUntil({ bookmark, now });
  return until === never ? "" : timestamp(until);
}

const toldFor = hours(24);

/**
 * The upgrades that are under way, or have failed or been refused within a day, according to the tags of their groups and to
 * their nodes.
 */
export const upgradesOf = (
  groups: readonly ScalingGroup[],
  nodes: readonly Node[],
  now: Instant,
): readonly UpgradeSummary[] =>
  groups.flatMap(({ name: group, tags }): readonly UpgradeSummary[] => {
    const { bookmark: _, opens: __, ...state } = upgradeIn(tags, now);
    const ended = tryEnded(tags);
    if (state.state !== "none") {
      const closed = nodes.filter((node) => ownValue(node, upgradeAnnotations.cordoned, state.id));
      return [{ group, ...state, closed: closed.map(({ name }) => name) }];
    }
    if (ended === undefined || ended.issue === "" || between(ended.at, now) > toldFor) return [];
    const { id, outcome, issue } = ended;
    return [{ group, ...state, id, state: outcome, issue, closed: [] }];
  });

/** Estimates the remaining time from the nodes so far; unknown before the first is done. */
const timeLeft = (
  { replaced, old }: { readonly replaced: number; readonly old: number },
  taken: number,
): number | null => (replaced === 0 ? null : wholeSeconds(milliseconds((taken / replaced) * old)));

/** True if an instance is yet to be replaced. */
const isOld = (state: UpgradedNode["state"]): boolean =>
  ["old", "draining", "drained", "blocked", "set-aside", "ending"].includes(state);

function nodeState(
  instance: GroupInstance,
  bookmark: Bookmark,
  { nodes, overrides }: GroupFacts,
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
    instance: instance.id,
    node: node?.name ?? "",
    zone: instance.zone,
    left: [],
    pods: [],
    state: state.kind,
    why: state.why || (why === "none" ? "" : why),
  };
}

interface UpgradedNodeState {
  readonly kind: UpgradedNode["state"];
  readonly why: string;
}

function newState(node: MachineNode | undefined, { id }: Bookmark): UpgradedNodeState {
  if (node === undefined) return { kind: "joining", why: "" };
  return { kind: isValidated(node, id) ? "valid" : "new", why: "" };
}

function oldState(
  { state }: GroupInstance,
  node: MachineNode | undefined,
  bookmark: Bookmark,
): UpgradedNodeState {
  if (state.startsWith("Terminat")) return { kind: "ending", why: "" };
  if (node === undefined) return { kind: "old", why: "" };
  const progress = progressOf(node, bookmark.id);
  if (progress.kind === "drained" && keepsOld(bookmark)) return { kind: "kept", why: "" };
  if (progress.kind === "untouched") return { kind: "old", why: "" };
  return { kind: progress.kind, why: "left" in progress ? progress.left : "" };
}
