import { between } from "../base/time.ts";
import { undoMark } from "../drain/undo-mark.flow.ts";
import type { Reception } from "../notice/begun-at.ts";
import type { AtRisk, Interrupted, Maintenance, Stopped, Stopping } from "../notice/notice.ts";
import { ignored, type Pass } from "../notice/outcome.ts";
import type { NoticePorts, Ports } from "../registrations/ports.ts";
import { onRisk } from "./at-risk.flow.ts";
import { cleanUp } from "./clean-up.flow.ts";
import { isRenewed } from "./event-admission.ts";
import {
  longestInQueues,
  spotHeadStart,
  spotLengths,
  spotTakenWithin,
  stoppingLengths,
} from "./event-bounds.ts";
import {
  type AdmittedInstance,
  drainInHurry,
  type EventRequest,
  hurriedPass,
} from "./event-pass.flow.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { maintain } from "./maintenance.flow.ts";
import { runsAgain } from "./runs-again.flow.ts";

/** A notice of an instance that no hook holds, and how it came. */
export interface EventNotice extends Reception {
  readonly notice: AtRisk | Interrupted | Maintenance | Stopped | Stopping;
}

/** Does one pass of work on an event that is not from a hook. */
export function workOnEvent(
  { notice, ...reception }: EventNotice,
  policy: InterruptionPolicy,
  ports: NoticePorts,
): Promise<Pass> {
  switch (notice.kind) {
    case "interrupted":
      return drainInterrupted({ notice, ...reception }, policy, ports);
    case "stopping":
      return drainStopping({ notice, ...reception }, policy, ports);
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
export const drainStopping = (
  request: EventRequest<Stopping>,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: async ({ state, drain, settings }: AdmittedInstance) => {
      const { instance } = request.notice;
      if (isRenewed(state)) return ignored(`instance ${instance} is ${state}: it starts anew`);
      const lengths = stoppingLengths(settings.stoppingTimeout);
      if (await runsAgain(request.notice, lengths.toDeadline, ports))
        return ignored(`instance ${instance} runs, and the notice of its end is late`);
      return drainInHurry(request, { reason: "stopping", settings: drain, lengths, policy }, ports);
    },
  });

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
