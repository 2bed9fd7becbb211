import { isWarm } from "../../domain/notice/event-admission.ts";
import { spotLengths } from "../../domain/notice/event-bounds.ts";
import type { InterruptionPolicy } from "../../domain/notice/interruption-policy.ts";
import type { Interrupted } from "../../domain/notice/notice.ts";
import { ignored, type Pass } from "../../domain/notice/outcome.ts";
import type { Ports } from "../../ports/ports.ts";
import { drainInHurry, eventPass } from "./event-pass.ts";

/** A notice of a Spot instance that EC2 takes back, and how often it has been received. */
export interface InterruptedRequest {
  readonly notice: Interrupted;
  readonly receives: number;
}

/** One pass over a Spot instance that EC2 takes back in two minutes: empties its node as far as that goes. */
export const drainInterrupted = (
  request: InterruptedRequest,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  eventPass(request, policy, {
    ports,
    goOn: async ({ state, drain: settings }) =>
      isWarm(state)
        ? ignored(`instance ${request.notice.instance} is ${state}: it is in the warm pool`)
        : drainInHurry(
            request,
            { reason: "interrupted", settings, lengths: spotLengths, policy },
            ports,
          ),
  });
