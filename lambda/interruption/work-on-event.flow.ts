import type { Reception } from "../notice/begun-at.ts";
import type { AtRisk, Interrupted, Maintenance, Stopped, Stopping } from "../notice/notice.ts";
import type { Pass } from "../notice/outcome.ts";
import type { NoticePorts } from "../registrations/ports.ts";
import { onRisk } from "./at-risk.flow.ts";
import { cleanUp } from "./clean-up.flow.ts";
import { drainInterrupted } from "./drain-interrupted.flow.ts";
import { drainStopping } from "./drain-stopping.flow.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";
import { maintain } from "./maintenance.flow.ts";

/** A notice of an instance that no hook holds, and how it came. */
export interface EventNotice extends Reception {
  readonly notice: AtRisk | Interrupted | Maintenance | Stopped | Stopping;
}

/** Does one pass of what an event asks for that no hook has sent. */
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
        { instance: notice.instance, receives: reception.receives, among: "all" },
        policy,
        ports,
      );
  }
}
