import { type DrainBounds, markedBounds } from "../../domain/notice/drain-bounds.ts";
import type { Bell } from "../../ports/bell.ts";
import type { Ports } from "../../ports/ports.ts";
import { BackgroundTask } from "../background-task.ts";
import type { NodeWatch } from "../mark/node-watch.ts";
import { BalancerWatch } from "./balancer-watch.ts";
import type { Emptying } from "./emptying.ts";

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
