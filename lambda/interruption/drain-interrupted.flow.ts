import { between } from "../base/time.ts";
import { undoMark } from "../drain/undo-mark.flow.ts";
import type { Interrupted } from "../notice/notice.ts";
import { ignored, type Pass } from "../notice/outcome.ts";
import type { Ports } from "../registrations/ports.ts";
import { longestInQueues, spotHeadStart, spotLengths, spotTakenWithin } from "./event-bounds.ts";
import { drainInHurry, type EventRequest, hurriedPass } from "./event-pass.flow.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { runsAgain } from "./runs-again.flow.ts";

/** One pass over a Spot instance that EC2 takes back in two minutes: empties its node as far as that goes. */
export const drainInterrupted = (
  request: EventRequest<Interrupted>,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: async ({ drain: settings, state }) => {
      const { notice } = request;
      const age = between(notice.since, ports.clock.now());
      const mayBeOver = state === "InService" && age <= longestInQueues;
      if (mayBeOver && (await runsAgain(notice, spotTakenWithin, ports))) {
        if (settings.mode !== "dry-run")
          await undoMark(notice.instance, { taints: settings.taints, of: "interrupted" }, ports);
        return ignored(`instance ${notice.instance} runs, and the notice of its end is late`);
      }
      const terms = { reason: "interrupted", settings, lengths: spotLengths(age), policy } as const;
      const headStart = spotHeadStart(request.receives);
      return drainInHurry(request, { ...terms, headStart }, ports);
    },
  });
