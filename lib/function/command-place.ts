import type { IConstruct } from "constructs";
import type { ClusterPlace } from "../cluster-place.ts";
import type { QueueFunction } from "./queue-function.ts";

/** The deployment that a command asks, as far as its grants name it. */
export interface CommandPlace extends IConstruct {
  readonly cluster: ClusterPlace;
  readonly nodeFunction: QueueFunction;
  /** The ARN of something that EKS has. */
  inEks(resource: string, resourceName: string): string;
}
