import { faultOf } from "../base/fault.ts";
import { between, earliest, type Instant, later, minutes, never, seconds } from "../base/time.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import { isManaged, managedText } from "../group/managed-group.ts";
import type { ScalingGroup } from "../group/scaling-group.ts";
import { tellUnread } from "../group-work/tell-unread.flow.ts";
import { bookmarkKeys, leftKeys } from "../group-work/upgrade-tags.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { QueueWork } from "../notice/queue-work.flow.ts";
import type { ReportEntry } from "../report/report-entry.ts";
import { Reports } from "../report/reports.flow.ts";
import { act } from "./act.flow.ts";
import type { Bookmark, EndedUpgrade } from "./bookmark.ts";
import {
  endedTags,
  failingTags,
  progressTags,
  readBookmark,
  stateTags,
  tryEnded,
  tryFailing,
  tryWaiting,
  waitingKey,
  waitingTags,
} from "./bookmark-tags.ts";
import { FailedWrites } from "./failed-writes.ts";
import { rest } from "./group-steps.flow.ts";
import { issueText } from "./issues.ts";
import { nextUpgradeStep } from "./next-upgrade-step.ts";
import { tryUnclaiming } from "./node-marks.ts";
import { readScene, type UpgradedGroup } from "./read-scene.flow.ts";
import { shiftReader } from "./read-shifts.flow.ts";
import { type Deed, tryDeed } from "./repeated-step.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { operatedIssue } from "./setup.ts";
import { sorted } from "./sorted-instances.ts";
import { type TakeUp, takeUp } from "./take-up.ts";
import type { UpgradePorts } from "./upgrade.port.ts";
import type { UpgradeEnd, UpgradeEntry } from "./upgrade-entry.ts";
import { type StartCommand, type UpgradeCommand, upgradeOf } from "./upgrade-message.ts";
import { upgraded } from "./upgrade-reason.ts";
import {
  type Acted,
  again,
  bookmarkProgress,
  done,
  hasMovedOn,
  type UpgradePass,
  type UpgradePolicy,
  type UpgradeTools,
} from "./upgrade-tools.flow.ts";
import { closedUntil } from "./waits.ts";
import { openFrom } from "./window.ts";

const refused = (...reasons: readonly string[]): UpgradePass => done({ kind: "refused", reasons });

// If two messages begin an upgrade at the same time, the one that writes last carries it on.
const beforeFirstLook = seconds(5);

// As a rule, a written tag can be read at once.
const soon = seconds(1);

/** One pass over an upgrade. It reads the scene, decides on a step and takes it, until it has to wait. */
async function upgradePass(tools: UpgradeTools): Promise<UpgradePass> {
  const { clock } = tools.ports;
  const following: FollowTools = { ...tools, takeover: { at: never }, deeds: new Map() };
  do {
    const looked = await look(following).finally(() => tellUnread(tools.ports));
    if (looked !== "go on") return looked;
  } while (clock.now() < tools.passEnds);
  return again(soon);
}

interface FollowTools extends UpgradeTools {
  /** When this pass last took the upgrade over from another message; `never` if it has not. */
  readonly takeover: { at: Instant };
  /** How often this pass has written what to which node. */
  readonly deeds: Map<string, number>;
}

/** Reads the group and its tags, and takes one step. */
async function look(tools: FollowTools): Promise<Acted> {
  const { command, policy, ports } = tools;
  const { group: name } = command;
  const group = await ports.groups.withPool(name);
  if (group === "absent") return refused(`AutoScalingGroupNotFound: there is no group ${name}`);
  const { managed } = policy.drain;
  if (!isManaged(managed, name, group.tags))
    return refused(
      `OperationNotPermitted: group ${name} is none of those of this deployment: ${managedText(managed)}`,
    );
  // Not even a tag may say that of its group.
  if (group.operator !== "") return refused(issueText(operatedIssue(group)));
  const taken = takeUp(command, readBookmark(group.tags), tryEnded(group.tags));
  return follow(taken, group, tools);
}

type Writing = Extract<TakeUp, { readonly kind: "write" }>;

/** Writes what a message changes. It ends if another one has done so since: of very many, each would take the upgrade from the others. */
async function takeOver(
  { bookmark: found, progress }: Writing,
  { command, ports: { clock, groups }, takeover }: FollowTools,
): Promise<Acted> {
  if (found.told >= takeover.at) return done({ kind: "taken-over" });
  const now = clock.now();
  takeover.at = now;
  const bookmark = { ...found, told: now, entered: now, since: now, seen: now };
  const restarted = progress === "restarts" ? progressTags(bookmark) : {};
  await groups.tag(command.group, { ...restarted, ...stateTags(bookmark) });
  return "go on";
}

async function follow(taken: TakeUp, group: ScalingGroup, tools: FollowTools): Promise<Acted> {
  const { command } = tools;
  switch (taken.kind) {
    case "end":
      if (taken.end.kind === "ended") await tidyAfter(taken.end, group, tools);
      return done(taken.end);
    case "begin":
      return command.kind === "start"
        ? held(() => begin(command, group, tools), group, tools)
        : "go on";
    case "call-off": {
      const { undoUnusedVersion } = await import("./as-before.flow.ts");
      await undoUnusedVersion(taken, group, tools);
      await tellEnded({ id: taken.id, outcome: "aborted", issue: "" }, group, tools);
      await unclaim(taken, group, tools);
      return done({ kind: "ended", outcome: "aborted" });
    }
    case "write":
      return takeOver(taken, tools);
    case "carry-on":
      return held(() => carryOn({ group, bookmark: taken.bookmark }, tools), group, tools);
  }
}

/** Takes back what a pass has written that did not know yet that the upgrade had ended. */
async function tidyAfter(
  { outcome }: Pick<EndedUpgrade, "outcome">,
  group: ScalingGroup,
  tools: UpgradeTools,
): Promise<void> {
  const { command, ports } = tools;
  await ports.groups.untag(group.name, leftKeys(group.tags));
  if (tryWaiting(group.tags) === undefined) await forgetWaiting(group, tools);
  if (command.kind !== "start" || outcome !== "aborted") return;
  const { undoUnusedVersion } = await import("./as-before.flow.ts");
  await undoUnusedVersion(command, group, tools);
  await unclaim(command, group, tools);
}

/** Takes a step. If it fails, a tag says so, because no pass may ever come as far as the next step. */
async function held(
  step: () => Promise<Acted>,
  group: ScalingGroup,
  tools: UpgradeTools,
): Promise<Acted> {
  try {
    return await step();
  } catch (cause) {
    await tellFailing(cause, group, tools);
    throw cause;
  }
}

async function tellFailing(
  cause: unknown,
  { name, tags }: ScalingGroup,
  { command, ports: { clock, groups, journal } }: UpgradeTools,
): Promise<void> {
  const now = clock.now();
  const { since } = tryFailing(tags) ?? { since: now };
  const hasBegun = readBookmark(tags).kind !== "none";
  const waiting = hasBegun ? {} : waitingTags({ id: upgradeOf(command), until: now });
  const said = { ...waiting, ...failingTags({ since, fault: faultOf(cause).message }) };
  const isSaid = Object.entries(said).every(([key, value]) => tags[key] === value);
  try {
    if (!isSaid) await groups.tag(name, said);
  } catch (second) {
    journal.record(faultEntry(second));
  }
}

/** Begins an upgrade once its maintenance window is open. Until then, only a tag says that it is to come. */
async function begin(
  start: StartCommand,
  group: ScalingGroup,
  tools: UpgradeTools,
): Promise<Acted> {
  const { id, options } = start;
  const { clock, groups } = tools.ports;
  const until = openFrom(options.window, clock.now());
  if (until !== "open") {
    await groups.tag(group.name, waitingTags({ id, until }));
    return rest(id, { reason: closedUntil(until), until }, tools);
  }
  const { beginUpgrade } = await import("./begin-upgrade.flow.ts");
  const reasons = (await beginUpgrade(start, group, tools)).map(issueText);
  if (reasons.length === 0) {
    await forgetWaiting(group, tools);
    return again(beforeFirstLook);
  }
  // The tags tell those who cannot read the journal why the upgrade has not begun.
  const issue = reasons.join("; ");
  await tellEnded({ id, outcome: "refused", issue }, group, tools);
  return refused(...reasons);
}

/** Removes the claim of an upgrade that has not begun. If that fails, the claim is over soon, and the next upgrade removes it. */
async function unclaim(
  { id }: Pick<EndedUpgrade, "id">,
  { instances }: ScalingGroup,
  { ports: { cluster, groupNodes } }: UpgradeTools,
): Promise<void> {
  for (const node of await groupNodes.nodesOf(instances.map((one) => one.id))) {
    const change = tryUnclaiming(node, id);
    if (change !== undefined) await cluster.mark(node, () => change);
  }
}

async function tellEnded(
  ended: Pick<EndedUpgrade, "id" | "issue" | "outcome">,
  group: ScalingGroup,
  tools: UpgradeTools,
): Promise<void> {
  const { clock, groups } = tools.ports;
  await groups.tag(group.name, endedTags({ ...ended, at: clock.now() }, group.tags));
  await forgetWaiting(group, tools);
}

async function forgetWaiting(
  { name, tags }: ScalingGroup,
  { ports: { groups } }: Pick<UpgradeTools, "ports">,
): Promise<void> {
  const gone = [waitingKey, bookmarkKeys.fault].filter((key) => key in tags);
  await groups.untag(name, gone);
}

// The API server may answer late. What a step then writes would undo what others have written.
const freshFor = seconds(5);

async function carryOn(carried: UpgradedGroup, tools: FollowTools): Promise<Acted> {
  const { clock } = tools.ports;
  const freshUntil = later(clock.now(), freshFor);
  await tellSeen(carried.bookmark, tools);
  const scene = await readScene(carried, tools);
  if (freshUntil < clock.now() && (await hasMovedOn(scene, tools))) return "go on";
  if (bookmarkKeys.fault in carried.group.tags) return goOnAgain(carried, tools);
  const step = await stepOf(scene);
  const deed = tryDeed(step);
  if (deed === undefined) return act(step, scene, tools);
  const times = (part: string) => tools.deeds.get(part) ?? 0;
  if (deed.parts.every((part) => times(part) >= mostTimes)) return takenBack(deed, scene, tools);
  for (const part of deed.parts) tools.deeds.set(part, times(part) + 1);
  return act(step, scene, tools);
}

// Others may have written a node just before, once.
const mostTimes = 2;
const beforeRepeat = minutes(1);

/** Waits before a write is repeated that this pass has made already. */
function takenBack(
  { title, nodes }: Deed,
  { now, bookmark: { id } }: UpgradeScene,
  tools: UpgradeTools,
): Acted {
  for (const node of nodes) tools.failedWrites.note(node, id, "is-undone", now);
  const reason = `others take back at once: ${title}`;
  return rest(id, { reason, until: later(now, beforeRepeat) }, tools);
}

/** The next step. Few upgrades go back. */
async function stepOf(scene: UpgradeScene): Promise<UpgradeStep> {
  if (scene.bookmark.state !== "rolling-back") return nextUpgradeStep(scene);
  const { rollBackStep } = await import("./roll-back.ts");
  return rollBackStep(sorted(scene));
}

/** Looks again after passes that have failed. The time in which nobody could look or act does not count. */
async function goOnAgain(
  { group, bookmark }: UpgradedGroup,
  tools: UpgradeTools,
): Promise<"go on"> {
  const { clock, groups } = tools.ports;
  const now = clock.now();
  const lost = between(tryFailing(group.tags)?.since ?? now, now);
  const without = (time: Instant) => earliest(later(time, lost), now);
  const since = without(bookmark.since);
  const soak = typeof bookmark.soak === "number" ? without(bookmark.soak) : bookmark.soak;
  const watched = bookmark.watched === "none" ? "none" : without(bookmark.watched);
  // A paused upgrade writes nothing, so that it does not overwrite a resume.
  if (bookmark.state !== "paused")
    await bookmarkProgress(bookmark, { since, soak, watched }, tools);
  await groups.untag(group.name, [bookmarkKeys.fault]);
  return "go on";
}

const seenEvery = minutes(10);

/** Writes from time to time that the upgrade is being looked after. */
async function tellSeen(bookmark: Bookmark, { command, ports }: UpgradeTools): Promise<void> {
  const seen = ports.clock.now();
  if (seen < later(bookmark.seen, seenEvery)) return;
  await ports.groups.tag(command.group, progressTags({ ...bookmark, seen }));
}

/** An upgrade may take days, with one pass a minute. */
const mostReceives = 100_000;

const rows = () => import("./upgrade-report-rows.ts").then(({ upgradeRows }) => upgradeRows);
const work = { kind: "group", reason: upgraded.reason, nodes: "many" } as const;

/** The work on messages about upgrades. */
export function upgradeWork(
  policy: UpgradePolicy,
  ports: UpgradePorts,
): QueueWork<UpgradeCommand, UpgradeEnd, DrainEntry | ReportEntry | UpgradeEntry> {
  const reports = new Reports({ ...policy, ...ports, rows });
  const shifts = shiftReader();
  const failedWrites = new FailedWrites();
  return {
    pass: policy.drain.pass,
    isTriedEnough: ({ receives }) => receives >= mostReceives,
    run({ content: command, receives }, pass, journal) {
      const begun = ports.clock.now();
      const groupNodes = ports.groupNodes.reader();
      const server = asked(() => groupNodes.version());
      const tools = { command, policy, passEnds: later(begun, pass), server, shifts, failedWrites };
      const reported = { notice: work, instance: "", receives, journal, begun } as const;
      return reports.hear(reported, async (heard, tell) => {
        const done = await upgradePass({
          ...tools,
          ports: { ...ports, groupNodes, journal: heard },
        });
        if ("outcome" in done) tell(endEntry(command, done.outcome));
        return done;
      });
    },
    subjectOf: ({ group }) => ({ group }),
    startEntry: ({ content, receives }) => ({
      kind: "upgrade-pass",
      upgrade: upgradeOf(content),
      command: content.kind,
      receives,
    }),
    endEntry,
    settled: () => reports.settled(),
  };
}

const endEntry = (command: UpgradeCommand, end: UpgradeEnd): UpgradeEntry => ({
  kind: "upgrade-answered",
  upgrade: upgradeOf(command),
  command: command.kind,
  end,
});

/** Calls once, and keeps the answer. */
function asked<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}
