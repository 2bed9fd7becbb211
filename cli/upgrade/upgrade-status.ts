import type { Labels } from "../../lambda/base/labels.ts";
import { inSeconds } from "../../lambda/base/time.ts";
import { readBookmark } from "../../lambda/upgrade/bookmark-tags.ts";
import { shellWord } from "../shell-word.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { UpgradeReport, UpgradeSummary } from "./upgrade-schema.ts";

/** The lines about the upgrade of a group in the status of a cluster. */
export function upgradeLine(upgrade: UpgradeSummary, cluster: string): readonly Line[] {
  const { group, id, state, phase, issue, seen, unanswered, closed } = upgrade;
  const which = id === "" ? "upgrade" : `upgrade ${id}`;
  const reason = issue === "" ? "" : `: ${issue}`;
  const is = ends[state] ?? `is ${state}`;
  return [
    line("change", 0, `${group}: ${which} ${is}${phase && `, phase ${phase}`}${reason}`),
    ...(state === "paused" && closed.length > 0
      ? [line("careful", 1, `${closedWords} ${closed.join(", ")}`)]
      : []),
    ...standingLines({ unanswered, cluster, group, state, seen: inSeconds(seen) }),
  ];
}

const ends: Readonly<Partial<Record<string, string>>> = {
  failed: "has failed",
  refused: "was refused",
  "set-aside": "has ended, with nodes set aside",
};

const closedWords = "until what was under way has ended, it keeps closed:";

/** The lines about an upgrade that is paused, or that no pass has looked at for long. */
export const standingLines = ({
  unanswered,
  cluster,
  group,
  state,
  seen,
}: Pick<UpgradeReport, "cluster" | "group" | "seen" | "unanswered"> &
  Pick<UpgradeSummary, "state">): readonly Line[] => {
  const resume = `\`upgrade resume ${shellWord(group)} --cluster ${cluster}\``;
  const abort = `\`upgrade abort ${shellWord(group)} --cluster ${cluster}\``;
  if (state === "paused") {
    const ways = `${resume} goes on, ${abort} puts its version and sizes back`;
    return [line("careful", 1, `paused, and last looked at ${seen}: ${ways}`)];
  }
  const remedy =
    state === "waiting"
      ? `no pass has begun it: ${abort} calls it off, then start it again`
      : `no pass has looked at it since ${seen}: ${resume} revives it`;
  return unanswered ? [line("bad", 1, remedy)] : [];
};

/** True if the upgrade of a group is under way, or has not begun yet. */
export const isUpgraded = (tags: Labels): boolean => readBookmark(tags).kind !== "none";

/** True if the upgrade of a group deletes pods past their budgets. */
export function upgradeForces(tags: Labels): boolean {
  const reading = readBookmark(tags);
  return reading.kind === "bookmark" && reading.bookmark.options.ifBlocked === "force";
}
