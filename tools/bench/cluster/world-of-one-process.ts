import { seconds } from "../../../lambda/base/time.ts";
import type { ClusterNode } from "../../../test/cluster/control-plane-options.ts";
import { type RealWorld, startRealWorld } from "../../../test/cluster/real-world.ts";

/** Starts a real control plane, and one process of the function, which takes notices in batches of ten. */
export const worldOfOneProcess = (nodes: readonly ClusterNode[]): Promise<RealWorld> =>
  startRealWorld({
    nodes,
    group: "bench",
    mapping: {
      batchSize: 10,
      window: seconds(2),
      maximumConcurrency: 1,
      responses: "report-batch-item-failures",
    },
    env: { MONITOR_GRACE: "100h", MAX_PODS: "400" },
  });
