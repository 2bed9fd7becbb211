import type { Stopping } from "../notice/notice.ts";
import { ignored, type Pass } from "../notice/outcome.ts";
import type { Ports } from "../registrations/ports.ts";
import { isRenewed } from "./event-admission.ts";
import { stoppingLengths } from "./event-bounds.ts";
import {
  drainInHurry,
  type EventRequest,
  type GroupInstance,
  hurriedPass,
} from "./event-pass.flow.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { runsAgain } from "./runs-again.flow.ts";

/** One pass over an instance that ends already: empties its node as far as the little time goes. */
export const drainStopping = (
  request: EventRequest<Stopping>,
  policy: InterruptionPolicy,
  ports: Ports,
): Promise<Pass> =>
  hurriedPass(request, policy, {
    ports,
    goOn: async ({ state, drain, settings }: GroupInstance) => {
      const { instance } = request.notice;
      if (isRenewed(state)) return ignored(`instance ${instance} is ${state}: it starts anew`);
      const lengths = stoppingLengths(settings.stoppingTimeout);
      if (await runsAgain(request.notice, lengths.toDeadline, ports))
        return ignored(`instance ${instance} runs, and the notice of its end is late`);
      return drainInHurry(request, { reason: "stopping", settings: drain, lengths, policy }, ports);
    },
  });
