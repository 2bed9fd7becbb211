import type { Pod } from "../../lambda/domain/pod/pod.ts";
import type { Administrator } from "./administrator.ts";
import type { CallerOf } from "./ground.ts";

/** A request of the function, as the audit log of the cluster has it. */
export interface Heard {
  readonly verb: string;
  /** With its subresource, as in `pods/eviction`. */
  readonly resource: string;
  readonly name: string;
  readonly uri: string;
  readonly code: number;
  readonly body: unknown;
}

/** A cluster that the contract is held against, and what its subjects do each in their own way. */
export interface Stage {
  /** The names of the nodes that run pods. */
  readonly nodes: readonly [string, string, string];
  readonly administrator: Administrator;
  readonly caller: CallerOf;
  /** Makes a namespace and waits until pods can be made in it. */
  namespace(name: string): Promise<void>;
  /** What the API server has heard of the function until now. */
  heard(): Promise<readonly Heard[]>;
  /** The disruption controller falls behind: budgets made or changed from now on stay unobserved. */
  holdBudgets(): Promise<void>;
  releaseBudgets(): Promise<void>;
  /** From now on, API Priority and Fairness turns the function away from all that is in the namespace of a pod, which must not have started. */
  throttle(pod: Pod): Promise<void>;
  /** The kubelet of a node neither acts nor reports until it is resumed. */
  pauseKubelet(node: string): Promise<void>;
  resumeKubelet(node: string): Promise<void>;
  stop(): Promise<void>;
}
