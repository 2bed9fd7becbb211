import {
  earliest,
  type Instant,
  instant,
  latest,
  never,
  tryInstantOf,
} from "../lambda/base/time.ts";
import { type Happening, type HappeningOf, ofKind } from "./happening.ts";
import type { Outcome } from "./outcome.ts";
import type { TimelineStory } from "./timeline.ts";

/** All passes of the work on one instance: a drain, or a launch. */
export interface RecordedDrain extends TimelineStory {
  readonly instance: string;
  /** Empty if no hook holds the instance. */
  readonly token: string;
  readonly group: string;
  /** Empty if no node was found. */
  readonly node: string;
  /** `never` if unknown. */
  readonly deadline: Instant;
  readonly outcome: Outcome | { readonly kind: "unfinished" };
}

/** Groups the entries of many invocations into drains, by instance and token; the earliest comes first. */
export function drainsOf(happenings: readonly Happening[]): readonly RecordedDrain[] {
  const ordered = happenings.toSorted((a, b) => a.at - b.at);
  const instanceOf = instancesOf(ordered);
  const drains: Open[] = [];
  for (const one of ordered) {
    const instance = instanceOf(one);
    const found =
      instance === "" ? undefined : drains.findLast((drain) => takes(drain, instance, one));
    if (found !== undefined) drains.push(...add(found, one));
    else if (instance !== "") drains.push(opened(instance, [one]));
  }
  return drains.map(closed).toSorted((a, b) => a.from - b.from);
}

interface Open {
  readonly instance: string;
  token: string;
  readonly happenings: Happening[];
  /** True if an entry without a token begins a new drain. */
  isOver: boolean;
  /** The number of its entries before its last outcome. */
  settled: number;
}

const opened = (instance: string, happenings: Happening[]): Open => ({
  instance,
  token: happenings.map(tokenOf).find((token) => token !== "") ?? "",
  happenings,
  isOver: false,
  settled: 0,
});

function takes(drain: Open, instance: string, one: Happening): boolean {
  if (drain.instance !== instance) return false;
  const token = tokenOf(one);
  if (token !== "" && drain.token !== "") return token === drain.token;
  return !(drain.isOver && one.kind === "pass-started");
}

/**
 * Adds an entry to a drain, or begins a new one with it. A mark outlasts its drain, so a node that is marked again has come
 * back.
 */
function add(drain: Open, one: Happening): readonly Open[] {
  const { instance, happenings, settled } = drain;
  const isBack =
    one.kind === "node-marked" &&
    ofKind(happenings.slice(0, settled), "node-marked").some(({ node }) => node === one.node);
  happenings.push(one);
  if (isBack) {
    const again = opened(instance, happenings.splice(settled));
    Object.assign(drain, opened(instance, happenings));
    return [again];
  }
  drain.token ||= tokenOf(one);
  if (one.kind === "pass-started") drain.isOver = false;
  if (one.kind === "notice-done") {
    drain.isOver =
      livesOn.has(one.outcome.kind) && (one.outcome.kind !== "ignored" || isAlone(one, happenings));
    drain.settled = happenings.length;
  }
  return [];
}

/** True if these entries belong to one message. An ignored message does not end the drain of another one. */
const isAlone = (one: Happening, happenings: readonly Happening[]): boolean =>
  happenings.every((other) => other.source !== "function" || messageOf(other) === messageOf(one));

/** Outcomes after which the instance stays in service, so that its next notice is about a new drain. */
const livesOn = new Set<Outcome["kind"]>([
  "called-off",
  "cordoned",
  "ignored",
  "joined",
  "not-joined",
  "not-registered",
  "registered",
]);

function tokenOf(one: Happening): string {
  if (one.kind === "hook-completed") return one.action.token;
  if (one.kind === "action-ended") return one.token;
  return one.source === "function" ? (one.token ?? "") : "";
}

function closed({ instance, token, happenings }: Open): RecordedDrain {
  const times = happenings.map(({ at }) => at);
  const [first = instant(0), ...others] = times;
  const marks = happenings.filter(
    (one) => one.kind === "node-marked" || one.kind === "mark-tightened",
  );
  const node = ofKind(happenings, "node-found")[0]?.node ?? marks[0]?.node ?? "";
  const own = marks.filter((mark) => mark.node === node);
  const end = tryEndOf(happenings);
  const again = ofKind(happenings, "pod-running").map(({ at }) => at);
  return {
    instance,
    token,
    group: happenings.map(groupOf).find((group) => group !== "") ?? "",
    node,
    deadline: tryInstantOf(own.at(-1)?.deadline ?? "") ?? never,
    outcome: end?.outcome ?? { kind: "unfinished" },
    from: earliest(first, ...others),
    // Later entries, such as the removal of the node, do not count towards the time of the drain.
    to: end === undefined ? latest(first, ...others) : latest(end.at, ...again),
    happenings: happenings.filter((one) => !isOfPeer(one, node)),
  };
}

const groupOf = (one: Happening): string => (one.source === "function" ? (one.group ?? "") : "");

/** True if a mark is that of a peer's node, which is not part of this drain's picture. */
const isOfPeer = (one: Happening, node: string): boolean =>
  one.kind === "node-marked" && one.node !== node;

/**
 * The last outcome that is not just of a later message which found nothing to do. A notice may come back after its end to
 * clean up. The drain only goes on if a pass finds the node again.
 */
function tryEndOf(happenings: readonly Happening[]): HappeningOf<"notice-done"> | undefined {
  const last = happenings.findLast(({ kind }) => kind === "node-found" || kind === "notice-done");
  if (last?.kind !== "notice-done") return undefined;
  const ends = ofKind(happenings, "notice-done");
  return ends.findLast(({ outcome }) => !cleansUp.has(outcome.kind)) ?? last;
}

const cleansUp = new Set<Outcome["kind"]>(["ignored", "node-removed", "nothing-left"]);

/** The instance of an entry: as the entry says, or else its message, or else the pod that it replaces. */
function instancesOf(happenings: readonly Happening[]): (one: Happening) => string {
  const ofDrain = happenings.filter((one) => named(one) !== "");
  const byMessage = new Map(ofDrain.map((one) => [messageOf(one), named(one)]));
  const byPod = new Map(
    ofKind(ofDrain, "pods-seen").flatMap((one) => one.holding.map((pod) => [pod, named(one)])),
  );
  return (one) => named(one) || (byMessage.get(messageOf(one)) ?? byPod.get(replacedBy(one)) ?? "");
}

/** The message of an entry; the entry itself if it has none, so that it is alone. */
const messageOf = (one: Happening): unknown =>
  one.source === "function" ? (one.messageId ?? one) : one;

const replacedBy = (one: Happening): string => (one.kind === "pod-running" ? one.replaces : "");

function named(one: Happening): string {
  if (one.kind === "hook-completed") return one.action.instance;
  return "instance" in one ? (one.instance ?? "") : "";
}
