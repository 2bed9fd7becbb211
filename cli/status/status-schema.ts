import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";
import { merged } from "../../lib/merged.ts";
import { ownSchemas } from "../own-schemas.ts";
import { gap } from "./gap-schema.ts";
import { leftPod } from "./left-pod-schema.ts";
import { saidSetting } from "./setting-schema.ts";

const markedNode = z.object({
  node: z.string(),
  readiness: z.string(),
  /** The state of its instance in its group, such as `InService`; `gone` if no managed group has it, empty if unknown. */
  instanceState: z.string(),
  /** Why it is marked: `terminating`, `interrupted`, `at-risk`, `maintenance`, `block-expiring` or `stopping`; empty without a mark. */
  cause: z.string(),
  /** Times are in ISO 8601; empty if unknown. */
  markedAt: z.string(),
  /** When a pass began so late that the drain's time counts from then. */
  lateSince: z.string(),
  deadline: z.string(),
  secondsLeft: z.nullable(z.number()),
  plannedWork: list(z.object({ event: z.string(), startTime: z.string() })),
  pods: list(leftPod),
  volumes: texts,
});

const heldInstance = z.object({
  instance: z.string(),
  group: z.string(),
  state: z.string(),
  hooks: texts,
  /** Hooks that notify others than this deployment. They may hold the instance too. */
  otherHooks: texts,
  /** False if the deployment does not manage its group, so that the function ignores the notices of its hooks. */
  isManaged: z.boolean(),
  heartbeatTimeoutSeconds: z.nullable(z.number()),
  /** Since the last heartbeat of this lifecycle action; `null` if the last hour of the log has none. */
  heartbeatAgeSeconds: z.nullable(z.number()),
  /**
   * Where its notice is: `received` by the function; perhaps `queued` or among the `dead` letters; `lost` if it is in
   * neither and the function has not received it; `ignored` if the function has received it and does nothing about it;
   * `done` if the function has completed its hooks, and hooks of others hold the instance; `unknown` if the log or the
   * queue cannot be read.
   */
  notice: z.enum(["received", "queued", "dead", "lost", "ignored", "done", "unknown"]),
  /** Why the function has ignored the last notice of its hooks; empty if it has not. */
  ignoredFor: z.string(),
  /**
   * The number of passes that have started with this lifecycle action in the last hour; `null` if
   * the log cannot be read.
   */
  passes: z.nullable(z.int()),
  /** The code of the last fault that one of them met; empty if none did. */
  lastFault: z.string(),
  /** True if the last pass met that fault. */
  isStopped: z.boolean(),
  /** `none` if the instance has no node, or the cluster cannot be read. */
  node: z.union([markedNode, z.literal("none")]),
});

const fault = z.object({
  /** When it came last. */
  at: z.string(),
  code: z.string(),
  message: z.string(),
  /** The number of times in the last hour. */
  count: z.int(),
});

/** A workload with raised replicas, because its budget lets no pod leave a node. */
const surgedWorkload = z.object({
  workload: z.string(),
  from: z.int(),
  to: z.int(),
  since: z.string(),
  /** The node and the budget that need it. */
  why: z.string(),
  /** The pods that are not ready yet. */
  awaited: texts,
});

/** A link of a notice's way to the function that is broken, as `doctor` names it. */
const brokenLink = z.object({ link: z.string(), found: z.string(), remedy: z.string() });

/** The status of a cluster. */
export const statusShape = {
  kind: z.literal("status"),
  cluster: z.string(),
  at: z.string(),
  /**
   * The broken links on the way of a notice to the function: the stack, hooks, the subscription or
   * the mapping.
   */
  broken: list(brokenLink),
  held: list(heldInstance),
  /** Marked nodes, or nodes with scheduled maintenance, whose instances no hook holds. */
  marked: list(markedNode),
  /** `null` if neither queue can be read; `dead` counts dead letters, the others notices. */
  queue: z.nullable(
    z.object({
      waiting: z.nullable(z.int()),
      inFlight: z.nullable(z.int()),
      dead: z.nullable(z.int()),
    }),
  ),
  ...merged(ownSchemas.map(({ statusFields }) => statusFields)),
  /** The workloads with raised replicas; empty if they cannot be read. */
  room: list(surgedWorkload),
  /**
   * The seconds by which the clock of this computer is ahead of the cluster's; all times are the
   * cluster's.
   */
  clockAheadSeconds: z.number(),
  faults: list(fault),
  /** The settings in the files of `clusters/`, and which file has each. */
  settings: list(saidSetting),
  /** The facts that could not be read, and the rights that are missing. */
  gaps: list(gap),
};

/** A row of `status --all`; `null` for what could not be read. */
export const summaryShape = {
  cluster: z.string(),
  region: z.string(),
  at: z.string(),
  /** The version of the deployment. */
  deployed: z.nullable(z.string()),
  /** True if it is older than the program. */
  behind: z.nullable(z.boolean()),
  held: z.nullable(z.int()),
  /** The seconds since the oldest mark of a held node; `null` if no node is held. */
  oldestSeconds: z.nullable(z.number()),
  dead: z.nullable(z.int()),
  /** The alarms in state ALARM. */
  alarms: z.nullable(texts),
  /** The broken links on the way of a notice to the function. */
  broken: texts,
  /**
   * The seconds by which the clock of this computer is ahead of the cluster's; less than 0 where it
   * is behind.
   */
  clockAheadSeconds: z.int(),
  /** The facts that could not be read. */
  gaps: texts,
};

export type BrokenLink = z.input<typeof brokenLink>;
export type ClusterStatus = z.input<z.ZodMiniObject<typeof statusShape>>;
export type HeldInstanceStatus = z.input<typeof heldInstance>;
export type MarkedNode = z.input<typeof markedNode>;
export type SurgedWorkload = z.input<typeof surgedWorkload>;
export type LastFault = z.input<typeof fault>;
