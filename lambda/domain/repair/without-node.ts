import type { Labels } from "../labels.ts";
import { earliest, type Instant, later, latest, timestamp, tryInstantOf } from "../time.ts";
import { wordsIn, written } from "../upgrade/bookmark/tag-words.ts";
import { type GroupView, type IllMember, isIll, isServing } from "./members.ts";
import { recordPrefix } from "./repair-record.ts";

/**
 * The tag by which a group remembers since when instances in service have no node: a Node that somebody has deleted leaves
 * nothing behind that tells when, and may be back in a moment.
 */
export const withoutNodeKey = `${recordPrefix}without-node`;

// As many as a tag has room for. The others wait, for no more than a few are repaired at once.
const most = 5;

/** When a member is replaced that has no node: it gets its time from the first look that found it so, which has just been if nobody has. */
export function dueWithoutNode({ instance, diagnosis }: IllMember, view: GroupView): Instant {
  const { now, settings } = view;
  const found = earliest(foundIn(view.group.fleet.tags).get(instance.id) ?? now, now);
  return latest(diagnosis.due, later(found, settings.withoutNode));
}

/** What the tag is to say: who has no node, and since which look. */
export function withoutNodeTag({ members, group, now }: GroupView): string {
  const before = foundIn(group.fleet.tags);
  const found = members
    .filter(isIll)
    .filter((member) => member.node === "none" && isServing(member))
    .map(({ instance: { id } }) => [id, before.get(id) ?? now] as const)
    .toSorted(([a, since], [b, sinceThen]) => since - sinceThen || (a < b ? -1 : 1));
  return written(Object.fromEntries(found.slice(0, most).map(([id, at]) => [id, timestamp(at)])));
}

const foundIn = (tags: Labels): ReadonlyMap<string, Instant> =>
  new Map(
    [...wordsIn(tags[withoutNodeKey] ?? "")].flatMap(([id, text]) => {
      const at = tryInstantOf(text);
      return at === undefined ? [] : [[id, at] as const];
    }),
  );
