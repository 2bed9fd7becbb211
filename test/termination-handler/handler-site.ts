import type { Dated } from "../../journal/entry.ts";
import type { Duration, Instant } from "../../lambda/base/time.ts";

/** How a node looks, and what has become of the only pod of the Deployment that runs there. */
export interface Look {
  readonly cordoned: boolean;
  /** Whether it has the taint that the deployment puts on nodes that are going. */
  readonly tainted: boolean;
  /** `waits` when the pod was evicted and its replacement finds no node. */
  readonly pod: "runs" | "waits";
}

/** A node of a managed group, with a Deployment's only pod that no other node may take. */
export interface HandlerSite {
  readonly instance: string;
  /** The time there. */
  now(): Instant;
  /** Auto Scaling launches another instance into the group, and its launch hook holds it. */
  launch(): void;
  /** The node of that instance joins the cluster. */
  join(): Promise<void>;
  /** Auto Scaling terminates the instance, and its terminate hook holds it. */
  terminate(): void;
  /** EventBridge delivers an event. */
  deliver(event: object): void;
  /** Waits until the function is done with every notice about the instance. */
  worked(): Promise<void>;
  /** Waits until the site looks so. */
  looks(look: Look): Promise<void>;
  /** The hook times out so soon without a heartbeat. */
  hurryHook(timeout: Duration): void;
  /** Somebody deletes the node, and its kubelet does not register it again. */
  loseNode(): Promise<void>;
  /** How the lifecycle actions of the group ended. */
  endings(): readonly string[];
  /** How often the function has evicted the pod, or any replacement. */
  evictions(): Promise<number>;
  /** The reasons of the Events that the function has recorded at the node, in alphabetical order. */
  events(): Promise<readonly string[]>;
  /** The function's journal entries of one kind about the site. */
  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[];
}

/** Leaves out what a hook's own test notice came to. */
export const withoutTests = <Told extends Dated>(entries: readonly Told[]): readonly Told[] =>
  entries.filter((entry) => !("notice" in entry && entry.notice.startsWith("test")));

/** What is given in a scenario. */
export interface HandlerPlan {
  /** Tags of the group, without their prefix. */
  readonly tags: Readonly<Record<string, string>>;
  /** How many seconds the pod takes to end; its grace is longer. */
  readonly endsIn: number;
}

/** The taint of every deployment here, as Node Termination Handler's `taintNode` sets one. */
export const handlerTaint = { key: "example.com/going", value: "true", effect: "NoSchedule" };
