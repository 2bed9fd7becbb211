import { type Duration, milliseconds, minutes, seconds } from "../../lambda/domain/time.ts";
import { tryAsking } from "./asking.ts";
import { type Destiny, type Fate, type FunctionRequest, well } from "./fate.ts";
import type { Plan } from "./random-plan.ts";
import type { PlannedTrouble } from "./random-trouble.ts";

/** What becomes of requests by a plan, and how much time the troubles that came may have cost. */
export interface PlannedDestiny {
  readonly decide: Destiny;
  cost(): Duration;
}

/** Follows the troubles of a plan. */
export function destinyOf({ troubles }: Plan): PlannedDestiny {
  let lettingGo = 0;
  let cost = moment;
  const strikes = ({ among, number, times }: PlannedTrouble, request: FunctionRequest): boolean => {
    const isAsking = tryAsking(request) !== undefined;
    const count = among === "all" ? request.number : lettingGo;
    return (among === "all" || isAsking) && count >= number && count < number + times;
  };
  return {
    decide(request) {
      if (tryAsking(request) !== undefined) lettingGo += 1;
      const fate = troubles.find((trouble) => strikes(trouble, request))?.fate ?? well;
      cost = milliseconds(cost + costOf(fate));
      return fate;
    },
    cost: () => cost,
  };
}

// What kubelets need to take away pods that end just in time, and the last requests.
const moment = seconds(3);

/** A death costs a visibility timeout, and an answer that does not come the patience with it. */
function costOf(fate: Fate): number {
  if (fate.kind === "well") return 0;
  if (fate.kind === "death") return minutes(2);
  return fate.fault === "hang" ? seconds(40) : seconds(5);
}
