import type { Reception } from "../../domain/notice/begun-at.ts";
import type { InterruptionPolicy } from "../../domain/notice/interruption-policy.ts";
import type {
  AtRisk,
  Interrupted,
  Maintenance,
  Stopped,
  Stopping,
} from "../../domain/notice/notice.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import type { NoticePorts } from "../../ports/ports.ts";
import { onRisk } from "./at-risk.ts";
import { cleanUp } from "./clean-up.ts";
import { drainInterrupted } from "./drain-interrupted.ts";
import { drainStopping } from "./drain-stopping.ts";
import { maintain } from "./maintenance.ts";

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
