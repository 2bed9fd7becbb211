import { type Duration, later, seconds } from "../base/time.ts";
import { isThere } from "../group/ec2-instance.ts";
import { type Reception, sentAt } from "../notice/begun-at.ts";
import { ignored } from "../notice/outcome.ts";
import { onRisk } from "./at-risk.flow.ts";
import { cleanUp } from "./clean-up.flow.ts";
import { drainInterrupted } from "./drain-interrupted.flow.ts";
import { isRenewed } from "./event-admission.ts";
import { stoppingLengths } from "./event-bounds.ts";
import type { EventNotice, Stopping } from "./event-notice.ts";
import type { EventPass } from "./event-outcome.ts";
import {
  type AdmittedInstance,
  drainInHurry,
  type EventRequest,
  hurriedPass,
  isLate,
  rested,
} from "./event-pass.flow.ts";
import type { EventPorts, InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { maintain } from "./maintenance.flow.ts";

/** Does one pass over an event that is not from a hook, with the flow of the event's kind. */
export async function workOnEvent(
  { notice: received, ...reception }: Reception & { readonly notice: EventNotice },
  policy: InterruptionPolicy,
  ports: EventPorts,
): Promise<EventPass> {
  const notice = { ...received, since: sentAt(received, reception, ports.clock.now()) };
  switch (notice.kind) {
    case "interrupted":
      return drainInterrupted({ notice, ...reception }, policy, ports);
    case "stopping":
      return drainStopping({ notice, ...reception }, policy, ports);
    case "block-expiring": {
      const { drainBlock } = await import("./drain-block.flow.ts");
      return drainBlock({ notice, ...reception, policy, ports });
    }
    case "at-risk":
      return onRisk({ notice, ...reception }, policy, ports);
    case "maintenance":
      return maintain({ notice, receives: reception.receives, policy, ports });
    case "stopped":
      return cleanUp(
        {
          instance: notice.instance,
          receives: reception.receives,
          among: "all",
          lingers: "as set",
        },
        policy,
        ports,
      );
  }
}

/** One pass over an instance that ends already: empties its node as far as the little time goes. */
const drainStopping = (
  request: EventRequest<Stopping>,
  policy: InterruptionPolicy,
  ports: InterruptionPorts,
): Promise<EventPass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: async ({ state, drain, settings }: AdmittedInstance) => {
      const { instance } = request.notice;
      if (isRenewed(state)) return ignored(`instance ${instance} is ${state}: it starts again`);
      const lengths = stoppingLengths(settings.stoppingTimeout);
      const ec2Answer = await ports.instances.describe(instance);
      if (isThere(ec2Answer)) return stillRuns(request, lengths.toDeadline, ports);
      const terms = { reason: "stopping", settings: drain, lengths, policy } as const;
      return drainInHurry(request, { ...terms, ec2Answer }, ports);
    },
  });

// EC2's answers lag behind its events by a second or two.
const asksMore = 3;
const asksAgainIn = seconds(2);

/** The end of a pass over a notice whose instance EC2 says runs: EC2 is asked again within seconds, and then believed. */
function stillRuns(
  { notice: { instance, since }, receives }: EventRequest<Stopping>,
  within: Duration,
  { clock, journal }: InterruptionPorts,
): EventPass {
  if (clock.now() >= later(since, within)) return ignored(isLate(instance));
  if (receives > asksMore)
    return ignored(`instance ${instance} runs, and EC2 does not end it`, "untrue");
  return rested(`EC2 says that instance ${instance} runs, and is asked again`, asksAgainIn, {
    journal,
  });
}
