import { nodeName } from "../base/ids.ts";
import { release } from "../notice/keeper.flow.ts";
import { type Pass, soonAgain } from "../notice/outcome.ts";
import type { Ports } from "../registrations/ports.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import type { Emptying } from "./emptying.flow.ts";

/** A drain that failed up to its deadline, and why. */
export interface FailedDrain extends Pick<Emptying, "bounds" | "instance" | "keeper" | "settings"> {
  readonly reason: string;
}

/**
 * Ends a drain that failed. Its instance leaves its load balancers all the same: it is deregistered if that is wished,
 * and released when its last requests have ended.
 */
export async function giveUp(drain: FailedDrain, ports: Ports): Promise<Pass> {
  const { instance, settings, keeper, bounds, reason } = drain;
  // Perhaps nobody could mark the node, so the clock of its load balancers starts now.
  const { deadline: marked } = bounds;
  const node = { name: nodeName(instance) };
  const watch = new BalancerWatch(
    { instance, settings, bounds: () => bounds, marked, node, vpc: "" },
    ports,
  );
  if (settings.targetTimeout > 0) await watch.work();
  if (watch.isLeaving()) return soonAgain;
  return release(
    keeper,
    { kind: "expired", left: [{ about: "", why: reason }, ...watch.left()] },
    ports,
  );
}
