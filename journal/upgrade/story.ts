import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import { type Happening, type HappeningOf, ofKind } from "../happening.ts";
import type { TimelineStory } from "../timeline.ts";
import { isOfUpgrade } from "./upgrade-lines.ts";

/** All passes of an upgrade, whichever messages carried it on. */
export interface UpgradeStory extends TimelineStory {
  readonly id: string;
  readonly group: string;
  readonly end: UpgradeEnd | { readonly kind: "unfinished" };
}

/** The upgrades in a log, and its other entries. */
export interface WithUpgrades {
  readonly upgrades: readonly UpgradeStory[];
  readonly others: readonly Happening[];
}

/** Groups the entries of many passes into upgrades, by their ids and messages; the earliest comes first. */
export function upgradesIn(happenings: readonly Happening[]): WithUpgrades {
  const ordered = happenings.toSorted((a, b) => a.at - b.at);
  const own = ordered.filter((one) => isOfUpgrade(one));
  const byMessage = new Map(own.map((one) => [messageOf(one), one.upgrade]));
  const idOf = (one: Happening): string =>
    isOfUpgrade(one) ? one.upgrade : (byMessage.get(messageOf(one)) ?? "");
  const parts = Map.groupBy(ordered, idOf);
  const upgrades = Array.from(parts).flatMap(([id, all]) => (id === "" ? [] : joined(id, all)));
  return { upgrades, others: parts.get("") ?? [] };
}

/** The message of an entry; the entry itself if it has none, so that it is alone. */
const messageOf = (one: Happening): unknown =>
  one.source === "function" ? (one.messageId ?? one) : one;

function joined(id: string, happenings: readonly Happening[]): readonly UpgradeStory[] {
  const [first] = happenings;
  const last = happenings.at(-1);
  if (first === undefined || last === undefined) return [];
  const answer = tryAnswer(happenings);
  const groups = happenings.flatMap((one) => (one.source === "function" ? (one.group ?? []) : []));
  const end = answer?.end ?? { kind: "unfinished" };
  const bounds = { from: first.at, to: over.has(end.kind) ? (answer ?? last).at : last.at };
  return [{ id, group: groups[0] ?? "", happenings, end, ...bounds }];
}

const over = new Set<UpgradeStory["end"]["kind"]>(["ended", "refused"]);

/**
 * The last answer that is more than that a later message carries the upgrade on. A pause counts until somebody resumes the
 * upgrade.
 */
function tryAnswer(happenings: readonly Happening[]): HappeningOf<"upgrade-answered"> | undefined {
  const answers = ofKind(happenings, "upgrade-answered");
  const ended = answers.findLast(({ end }) => over.has(end.kind));
  const paused = answers.findLast(({ end }) => end.kind === "paused");
  const isResumed = ofKind(happenings, "upgrade-pass").some(({ at }) => at > (paused?.at ?? at));
  return ended ?? (isResumed ? undefined : paused);
}
