import type { FunctionRequest } from "./fault-plan.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";
import { instanceOf, nodeOf } from "./world-options.ts";

/** Complains about a request for a node or its instance after the hook has been completed. */
export function afterRelease(
  { what, body, at }: FunctionRequest,
  drains: WitnessedDrains,
): readonly string[] {
  const index = drains.indexOf(
    (number) =>
      what === `patch nodes ${nodeOf(number)}` ||
      (what.endsWith("RecordLifecycleActionHeartbeat") && body.includes(instanceOf(number))),
  );
  const ended = drains.tryOf(index)?.ended;
  return ended !== undefined && at > ended ? [`${what} came after the release`] : [];
}
