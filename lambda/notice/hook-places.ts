import type { GroupName } from "../base/ids.ts";
import type { GroupHook } from "./group-hooks.port.ts";

/** A hook that a deployment wants, and what its group has in its place. */
export interface HookPlace {
  readonly wanted: GroupHook;
  readonly found: GroupHook | "free" | "no group";
}

/** A hook in the place of a wanted one, which tells somebody else. */
export interface TakenPlace {
  readonly wanted: GroupHook;
  readonly found: GroupHook;
}

/** The hooks that some groups have under the names of wanted hooks. */
export const placesOf = (
  wanted: readonly GroupHook[],
  has: ReadonlyMap<GroupName, readonly GroupHook[] | "no group">,
): readonly HookPlace[] =>
  wanted.map((one) => {
    const hooks = has.get(one.group) ?? "no group";
    if (hooks === "no group") return { wanted: one, found: hooks };
    return { wanted: one, found: hooks.find(({ name }) => name === one.name) ?? "free" };
  });

/**
 * The places whose hooks tell none of these topics.
 *
 * A hook does not say which stack has put it. Its target is the only sign, and no two stacks have the same topic.
 */
export const takenPlaces = (
  places: readonly HookPlace[],
  topics: readonly string[],
): readonly TakenPlace[] =>
  places.flatMap(({ wanted, found }) =>
    typeof found === "string" || topics.includes(found.target) ? [] : [{ wanted, found }],
  );
