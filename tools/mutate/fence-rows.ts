import type { FenceChange } from "./fence-changes-schema.ts";
import { type Reason, type Row, reasonOf, type Survivor } from "./rows.ts";

/** A change that no request has shown; its text begins with the variable, the condition or the message that it is at. */
export const survivorOf = (
  { policy, place, was, becomes }: FenceChange,
  files: ReadonlyMap<string, string>,
): Omit<Survivor, "line"> => ({
  file: files.get(policy) ?? policy,
  was: `${place}: ${was}`,
  becomes,
});

interface Context {
  readonly sample: number;
  /** The file of each policy. */
  readonly files: ReadonlyMap<string, string>;
  readonly reasons: readonly Reason[];
}

/** The figures of the fences. */
export function fenceRowOf(
  changes: readonly FenceChange[],
  { sample, files, reasons }: Context,
): Row {
  const alive = changes.filter(({ killed }) => !killed);
  const explained = alive.filter(
    (one) => reasonOf(survivorOf(one, files), reasons) !== undefined,
  ).length;
  const killed = changes.length - alive.length;
  return { room: "fences", share: sample, tried: changes.length, killed, explained };
}
