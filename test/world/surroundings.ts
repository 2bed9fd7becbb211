import type { Aws } from "../../sandbox/aws/aws.ts";
import type { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import type { Fault, Meeting } from "./fault-plan.ts";

/** What a process of the function reaches, and what may happen on the way. */
export interface Surroundings {
  readonly timeline: VirtualTimeline;
  readonly cluster: SandboxCluster;
  readonly aws: Aws;
  /** Notes a request, and says what becomes of it. */
  meet(request: Meeting): Fault;
}
