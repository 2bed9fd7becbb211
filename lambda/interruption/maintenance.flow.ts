import { seconds } from "../base/time.ts";
import { done, type Ignorance, ignored, type Pass, soonAgain } from "../notice/outcome.ts";
import {
  type Affected,
  affectedOf,
  forEachAffected,
  type MaintenanceRequest,
} from "./affected.flow.ts";
import { awaitWork } from "./await-work.flow.ts";
import { callOff } from "./call-off.flow.ts";
import { passOn } from "./pass-on.flow.ts";

/**
 * One pass over a notice of planned work. The notice of one instance waits for the work; that of several becomes one notice
 * for each of them; a closed one is told to the nodes at once.
 */
export async function maintain(request: MaintenanceRequest): Promise<Pass> {
  const { notice } = request;
  const { affected, refused } = await affectedOf(request);
  const [one] = affected;
  if (one === undefined) return ignoredAll(refused);
  if (notice.status === "closed") return callAllOff(affected, request);
  return notice.instances.length === 1 ? awaitWork(one, request) : passAllOn(affected, request);
}

async function passAllOn(
  affected: readonly Affected[],
  request: MaintenanceRequest,
): Promise<Pass> {
  const told = await forEachAffected(affected, (one) => passOn(one, request), request);
  return told === "unfinished" ? atOnce : done({ kind: "passed-on", instances: told.flat() });
}

async function callAllOff(
  affected: readonly Affected[],
  request: MaintenanceRequest,
): Promise<Pass> {
  const opened = await forEachAffected(affected, (one) => callOff(one, request), request);
  if (opened === "unfinished") return atOnce;
  const nodes = opened.filter((each) => each !== "contended").flat();
  return opened.includes("contended") ? soonAgain : done({ kind: "called-off", nodes });
}

// The next pass finds what this one has done, and goes on from there.
const atOnce: Pass = { kind: "again", wait: seconds(0) };

/** Why a notice is not about this deployment; one of hundreds of reasons says enough. */
function ignoredAll([first, ...others]: readonly Ignorance[]): Pass {
  if (first === undefined) return ignored("it affects no instance");
  const { reason, why } = first;
  const more = others.length === 0 ? "" : `, and neither are the ${others.length} others`;
  return ignored(`${reason}${more}`, why);
}
