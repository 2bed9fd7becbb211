import { type Duration, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { type Fault, type FaultPlan, type FunctionRequest, well } from "./fault-plan.ts";
import { tryPodRequest } from "./pod-request.ts";
import type { Plan } from "./random-plan.ts";
import type { PlannedTrouble } from "./random-trouble.ts";

/**
 * Decides each request's fault by a plan, and sums up how much time the faults so far may have
 * cost.
 */
export interface PlannedFaults {
  readonly decide: FaultPlan;
  cost(): Duration;
}

/** Makes the faults that a plan lists. */
export function faultsOf({ troubles }: Plan): PlannedFaults {
  let lettingGo = 0;
  let cost = moment;
  const strikes = ({ among, number, times }: PlannedTrouble, request: FunctionRequest): boolean => {
    const isAsking = tryPodRequest(request) !== undefined;
    const count = among === "all" ? request.number : lettingGo;
    return (among === "all" || isAsking) && count >= number && count < number + times;
  };
  return {
    decide(request) {
      if (tryPodRequest(request) !== undefined) lettingGo += 1;
      const fault = troubles.find((trouble) => strikes(trouble, request))?.fault ?? well;
      cost = milliseconds(cost + costOf(fault));
      return fault;
    },
    cost: () => cost,
  };
}

// Past its deadline a drain waits four seconds for pods that end just in time, and needs one for its last requests.
const moment = seconds(5);

/**
 * A death costs a visibility timeout; a missing answer costs the time until the function gives up
 * on it.
 */
function costOf(fault: Fault): number {
  if (fault.kind === "well") return 0;
  if (fault.kind === "death") return minutes(2);
  return fault.fault === "hang" ? seconds(40) : seconds(5);
}
