import type { Labels } from "../base/labels.ts";
import { earliest, type Instant, later, latest, timestamp, tryInstantOf } from "../base/time.ts";
import { wordsIn, written } from "../group/tag-words.ts";
import { type GroupView, type IllMember, isIll, isServing } from "./members.ts";
import { recordPrefix } from "./repair-record.ts";

/**
 * The tag by which a group remembers since when instances in service have no node: a Node that somebody has deleted leaves
 * nothing behind that tells when, and may be back in a moment.
 */
export const withoutNodeKey = `${recordPrefix}without-node`;

// As many as fit into a tag. The others can wait: only a few are repaired at once.
const most = 5;

/** When a member without a node is replaced. Its time begins with the first pass that found no node, which may be this one. */
export function dueWithoutNode({ instance, diagnosis }: IllMember, view: GroupView): Instant {
  const { now, settings } = view;
  const found = earliest(foundIn(view.group.fleet.tags).get(instance.id) ?? now, now);
  return latest(diagnosis.due, later(found, settings.withoutNode));
}

/** The text of the tag: which instances have no node, and which pass saw that first. */
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
