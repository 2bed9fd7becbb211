import { nodeFunction } from "../../cli/replay/deploy-demo.ts";
import type { Entry } from "../../journal/entry.ts";
import type { Outcome } from "../../journal/outcome.ts";
import type { Duration } from "../../lambda/base/time.ts";
import type { Config } from "../../lambda/config/config.ts";
import type { NoticePorts } from "../../lambda/node-work.flow.ts";
import type { QueueWork } from "../../lambda/notice/queue-work.flow.ts";
import type { Notice } from "../../lambda/notices.ts";
import type { Addresses } from "../../sandbox/deployment.ts";
import type { CloudController } from "../../sandbox/instances-and-nodes.ts";
import { type QueueFunctionSpec, usualMapping } from "../../sandbox/queue-function.ts";

/** The account that owns all resources. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** The name of the group that nodes belong to unless the options say otherwise. */
export const group = "workers";

/** The name of the second group, in worlds that have one. */
export const otherGroup = "others";

/** The name of the terminate hook of each group. */
export const hook = "Terminate-LC-Hook";

/** The instance of a numbered node. */
export const instanceOf = (index: number): string => `i-${String(index).padStart(17, "0")}`;

/** The number of an instance. */
export const indexOf = (instance: string): number => Number(instance.replace("i-", ""));

/** The name of a numbered node. */
export const nodeOf = (index: number): string => `ip-10-0-0-${index}.eu-west-1.compute.internal`;

/** Makes the work that a function does on its notices. */
export type MakesWork = (config: Config, ports: NoticePorts) => QueueWork<Notice, Outcome, Entry>;

/** The options in which a world differs from the default. */
export interface WorldOptions {
  /** @default 2 */
  readonly nodes?: number;
  /** Settings of the function, as its environment has them. @default no node is removed */
  readonly settings?: Readonly<Record<string, string>>;
  /** Tags of the group. @default none */
  readonly tags?: Readonly<Record<string, string>>;
  /** How long the hook waits for a heartbeat. @default 1800 s */
  readonly heartbeat?: Duration;
  /** Whether the end of an instance ends its node, and how soon the cloud controller removes that. @default "no end" */
  readonly cloudController?: CloudController | "no end";
  /** A second group. @default none */
  readonly others?: OtherGroup;
  /** What the function does with a notice. @default all its deployed tasks */
  readonly work?: MakesWork;
  /** How long the cluster's controllers take to notice a change. @default 100 ms */
  readonly reaction?: Duration;
  /** How many notices a process of the function gets at a time. @default 10 */
  readonly batchSize?: number;
  /** How far the function's clock is ahead of everybody else's; less than 0 where it is behind. @default 0 */
  readonly clockAhead?: Duration;
  /** Seeds every random number of the function's code. @default 1 */
  readonly seed?: number;
}

/** A second group with a hook of its own, which some of the nodes belong to. */
export interface OtherGroup {
  readonly nodes: readonly number[];
  readonly tags: Readonly<Record<string, string>>;
}

/** The name of the cluster. */
export const clusterName = "demo";

const names = {
  stack: "EksNodeLifecycle-world",
  function: "node",
  topic: "notices",
  queue: "notices",
  deadLetters: "dead-letters",
};
/** The role that the function runs as. */
export const role = { name: "function", path: "/" };

/** The addresses of the account. The function's clients send nothing over a network. */
export const addresses: Addresses = {
  url: `https://${account.region}.amazonaws.com`,
  queueUrl: (name) => `https://sqs.${account.region}.amazonaws.com/${account.id}/${name}`,
};

// Here an instance's end does not end its node, and most tests are about the drain alone.
const usual = { EVENT_REMOVE_NODE: "never" };

/** The node function as the stack deploys it, without its code. */
export const worldFunction = ({
  batchSize = 10,
  settings,
  others,
}: WorldOptions): Omit<QueueFunctionSpec, "code"> => ({
  ...nodeFunction(
    { names, role, clusterName, managedGroups: groupsIn(others) },
    { ...usual, ...settings },
  ),
  mapping: { ...usualMapping, batchSize, maximumConcurrency: 10 },
});

const groupsIn = (others: OtherGroup | undefined): readonly string[] =>
  others === undefined ? [group] : [group, otherGroup];
