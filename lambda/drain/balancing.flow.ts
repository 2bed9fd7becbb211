import type { Bell } from "../base/bell.ts";
import { BackgroundTask } from "../notice/background-task.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import { type DrainBounds, markedBounds } from "./drain-bounds.ts";
import type { Emptying } from "./emptying.flow.ts";
import type { NodeWatch } from "./node-watch.flow.ts";

/** What a pass does about the load balancers of its node. */
export interface Balancing {
  readonly balancers: BalancerWatch;
  readonly balancerCheck: BackgroundTask<void>;
  /** The bounds of the drain, with the deadline that its node's mark has told. */
  readonly bounds: () => DrainBounds;
}

/** Begins to look at load balancers. No eviction goes out before they have answered, so they are asked while the pods are listed. */
export function balancingOf(
  emptying: Emptying,
  nodeWatch: NodeWatch,
  { bell, ports }: { readonly bell: Bell; readonly ports: Ports },
): Balancing {
  const bounds = () => markedBounds(emptying.bounds, nodeWatch.found().cause, emptying.settings);
  const balancers = new BalancerWatch({ ...emptying, bounds }, ports);
  const balancerCheck = new BackgroundTask(balancers, bell, ports.clock);
  balancerCheck.start();
  return { balancers, balancerCheck, bounds };
}
