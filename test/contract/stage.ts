import type { Pod } from "../../lambda/drain/pod.ts";
import type { Administrator } from "./administrator.ts";
import type { CallerOf } from "./ground.ts";

/** A request of the function, as in the audit log of the cluster. */
export interface Heard {
  readonly verb: string;
  /** With its subresource, as in `pods/eviction`. */
  readonly resource: string;
  readonly name: string;
  readonly uri: string;
  readonly code: number;
  readonly body: unknown;
}

/** A cluster that the contract is tested on, with what each kind of cluster does in its own way. */
export interface Stage {
  /** The names of the nodes that run pods. */
  readonly nodes: readonly [string, string, string];
  readonly administrator: Administrator;
  readonly caller: CallerOf;
  /** Makes a namespace and waits until pods can be made in it. */
  namespace(name: string): Promise<void>;
  /** The requests that the API server has received from the function until now. */
  heard(): Promise<readonly Heard[]>;
  /**
   * From now on, API Priority and Fairness refuses the function's requests in the namespace of a
   * pod. The pod must not have started.
   */
  throttle(pod: Pod): Promise<void>;
  stop(): Promise<void>;
}
