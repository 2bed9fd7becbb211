import { between, hours, type Instant, timestamp } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Ended } from "../../lambda/upgrade/bookmark.ts";
import { tryEnded } from "../../lambda/upgrade/bookmark-tags.ts";
import { readBookmark } from "../../lambda/upgrade/read-bookmark.ts";
import { ownValue, upgradeAnnotations } from "../../lambda/upgrade/upgrade-annotations.ts";
import { closedUntil } from "../../lambda/upgrade/waits.ts";
import type { GroupAt } from "../connect/groups-at.ts";
import type { UpgradeSummary } from "../status/status-schema.ts";
import { isOverdue, isUnanswered } from "./upgrade-report.ts";

/** The upgrades that are under way, or have not ended well since yesterday, as the tags of their groups and their nodes say. */
export const upgradesOf = (
  groups: readonly GroupAt[],
  nodes: readonly Node[],
  now: Instant,
): readonly UpgradeSummary[] =>
  groups.flatMap(({ name: group, tags }) => {
    const reading = readBookmark(tags);
    if (reading.kind === "none") return unhappyEnd(group, tryEnded(tags), now);
    if (reading.kind === "unreadable") {
      const issue = `the tag ${reading.key} cannot be read`;
      return [{ ...nothing, group, state: "unreadable", issue }];
    }
    if (reading.kind === "waiting") {
      const { id, until } = reading;
      const issue = closedUntil(until);
      const unanswered = isOverdue(reading, now);
      return [{ ...nothing, group, id, state: "waiting", issue, unanswered }];
    }
    const { id, state, phase, issue, seen } = reading.bookmark;
    const unanswered = isUnanswered(reading.bookmark, now);
    const closed = nodes.filter((node) => ownValue(node, upgradeAnnotations.cordoned, id));
    const names = closed.map(({ name }) => name);
    return [{ group, id, state, phase, issue, seen: timestamp(seen), unanswered, closed: names }];
  });

const toldFor = hours(24);

/** An upgrade that has failed or was refused is told for a day. */
function unhappyEnd(
  group: string,
  ended: Ended | undefined,
  now: Instant,
): readonly UpgradeSummary[] {
  if (ended === undefined || between(ended.at, now) > toldFor) return [];
  const { id, outcome: state, issue } = ended;
  return issue === "" ? [] : [{ ...nothing, group, id, state, issue }];
}

const nothing = { id: "", phase: "", seen: "", unanswered: false, closed: [] };
