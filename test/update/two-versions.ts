import { bundleIn, type FunctionCode } from "../../sandbox/lambda/function-code.ts";

/** The two versions that a stack is updated between. */
export type Version = "previous" | "this";

/** Which version takes the next event; an event that is worked on stays with the version that has it, as in Lambda. */
export interface Rollout {
  now: Version;
  /** How many events each version has taken, function by function. */
  readonly taken: Record<string, number>;
}

/** A function in two versions, of which the rollout chooses one for each event. */
export const inTwoVersions =
  (name: string, folders: Readonly<Record<Version, string>>, rollout: Rollout): FunctionCode =>
  (settings, world) => {
    const each = {
      previous: bundleIn(folders.previous)(settings, world),
      this: bundleIn(folders.this)(settings, world),
    };
    const both = Object.values(each);
    return {
      invoke: (event) => {
        const key = `${name}, ${rollout.now}`;
        rollout.taken[key] = (rollout.taken[key] ?? 0) + 1;
        return each[rollout.now].invoke(event);
      },
      crash: () => both.reduce((sum, one) => sum + one.crash(), 0),
      close: () => {
        for (const one of both) one.close();
      },
    };
  };
