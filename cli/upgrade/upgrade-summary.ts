import { type Instant, timestamp } from "../../lambda/domain/time.ts";
import { readBookmark } from "../../lambda/domain/upgrade/bookmark/bookmark-tags.ts";
import type { GroupAt } from "../connect/groups-at.ts";
import type { UpgradeSummary } from "../json/status-schema.ts";
import { isUnanswered } from "./upgrade-report.ts";

/** The upgrades that are under way, as the tags of their groups say. */
export const upgradesOf = (groups: readonly GroupAt[], now: Instant): readonly UpgradeSummary[] =>
  groups.flatMap(({ name: group, tags }) => {
    const reading = readBookmark(tags);
    if (reading.kind === "none") return [];
    if (reading.kind === "unreadable") {
      const issue = `the tag ${reading.key} cannot be read`;
      return [{ ...nothing, group, state: "unreadable", issue }];
    }
    const { id, state, phase, issue, seen } = reading.bookmark;
    const unanswered = isUnanswered(reading.bookmark, now);
    return [{ group, id, state, phase, issue, seen: timestamp(seen), unanswered }];
  });

const nothing = { id: "", phase: "", seen: "", unanswered: false };
