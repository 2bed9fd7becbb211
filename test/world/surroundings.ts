import type { Duration } from "../../lambda/base/time.ts";
import type { Aws } from "../../sandbox/aws/aws.ts";
import type { AwsEndpoint } from "../../sandbox/aws/aws-endpoint.ts";
import type { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import type { Fault, Meeting } from "./fault-plan.ts";

/** The servers that a process of the function reaches, and the faults of its requests. */
export interface Surroundings {
  readonly timeline: VirtualTimeline;
  readonly cluster: SandboxCluster;
  readonly aws: Aws;
  /** Where requests to that AWS arrive. */
  readonly endpoint: AwsEndpoint;
  /** How far the function's clock is ahead. */
  readonly ahead: Duration;
  /** Records a request, and returns its fault. */
  meet(request: Meeting): Fault;
}
