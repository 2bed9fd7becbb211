import type { Labels } from "../base/labels.ts";
import { timestamp, tryInstantOf } from "../base/time.ts";
import { wordsIn, written } from "../group/tag-words.ts";
import { tagPrefix } from "../group/upgrade-tags.ts";
import type { Ended } from "./bookmark.ts";

// How the last upgrade of a group has ended.
const endedKey = `${tagPrefix}-ended`;

/** The tag that says why the last upgrade of a group failed or was refused. */
export const endedIssueKey = `${tagPrefix}-ended-issue`;

const unhappy: readonly Ended["outcome"][] = ["failed", "refused"];
const outcomes: readonly Ended["outcome"][] = ["done", "aborted", "scaled-elsewhere", ...unhappy];

// As many as a tag has room for.
const mostEarlier = 12;

/** Writes how an upgrade has ended into the tags of its group, which tell of earlier ones. */
export function endedTags(
  { id, outcome, at, issue }: Omit<Ended, "earlier">,
  tags: Labels,
): Labels {
  const last = tryEnded(tags);
  const ended = last === undefined ? [] : [...last.earlier, last.id];
  const earlier = ended.filter((one) => one !== id).slice(-mostEarlier);
  const before = earlier.length === 0 ? {} : { earlier: earlier.join("+") };
  return {
    [endedKey]: written({ id, outcome, at: timestamp(at), ...before }),
    ...(issue === "" ? {} : { [endedIssueKey]: issue }),
  };
}

/** Reads how the last upgrade of a group has ended; `undefined` when no tag says so. */
export function tryEnded(tags: Labels): Ended | undefined {
  const words = wordsIn(tags[endedKey] ?? "");
  const outcome = outcomes.find((one) => one === words.get("outcome"));
  const at = tryInstantOf(words.get("at") ?? "");
  const id = words.get("id") ?? "";
  if (outcome === undefined || at === undefined) return undefined;
  const issue = unhappy.includes(outcome) ? (tags[endedIssueKey] ?? "") : "";
  return { id, outcome, at, issue, earlier: words.get("earlier")?.split("+") ?? [] };
}
