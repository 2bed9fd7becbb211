import { spotLengths } from "../../domain/notice/event-bounds.ts";
import type { InterruptionPolicy } from "../../domain/notice/interruption-policy.ts";
import type { Interrupted } from "../../domain/notice/notice.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import type { Ports } from "../../ports/ports.ts";
import { drainInHurry, type EventRequest, hurriedPass } from "./event-pass.ts";

/** One pass over a Spot instance that EC2 takes back in two minutes: empties its node as far as that goes. */
export const drainInterrupted = (
  request: EventRequest<Interrupted>,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: ({ drain: settings }) =>
      drainInHurry(
        request,
        { reason: "interrupted", settings, lengths: spotLengths, policy },
        ports,
      ),
  });
