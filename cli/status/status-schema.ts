import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";
import { repairCase } from "../repair/repair-schema.ts";

/** A pod that is still on a node, and why. */
export const leftPod = z.object({
  pod: z.string(),
  uid: z.string(),
  /** How the pod counts for the drain: `evictable`, `protected`, `leaving` or `stuck`. */
  class: z.string(),
  /** Whether it should have ended by now: its grace is over. */
  overdue: z.boolean(),
  /** Why it is still there, in one line. */
  reason: z.string(),
  budgets: list(
    z.object({ budget: z.string(), healthy: z.int(), desired: z.int(), allowed: z.int() }),
  ),
  finalizers: texts,
  /** In how many seconds the pod is deleted past its budgets or its protection; `null` where that is not to be. */
  deletedInSeconds: z.nullable(z.number()),
});

const markedNode = z.object({
  node: z.string(),
  readiness: z.string(),
  /** Why it is marked: `terminating`, `interrupted`, `at-risk`, `maintenance` or `stopping`; empty without a mark. */
  cause: z.string(),
  /** Times are in ISO 8601; empty where nobody knows. */
  markedAt: z.string(),
  /** Since when its drain has its time anew, because a pass began only then. */
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
  /** Hooks that tell others than this deployment, and may hold the instance too. */
  otherHooks: texts,
  heartbeatTimeoutSeconds: z.nullable(z.number()),
  heartbeatAgeSeconds: z.nullable(z.number()),
  /** `none` while no node of the instance is in the cluster, or where the cluster cannot be read. */
  node: z.union([markedNode, z.literal("none")]),
});

const gap = z.object({
  source: z.string(),
  /** What nobody knows without it: which instances are held, what is on nodes, what the given name means, or only more about these. */
  hides: z.enum(["instances", "nodes", "name", "details"]),
  why: z.string(),
  remedy: z.string(),
});
const fault = z.object({ at: z.string(), code: z.string(), message: z.string() });

/** A setting that the file of a cluster says, or one under it. */
export const saidSetting = z.object({
  setting: z.string(),
  /** Its key in the function's environment. */
  key: z.string(),
  value: z.string(),
  file: z.string(),
  /** What the function was deployed with; `null` where nobody knows. */
  deployed: z.nullable(z.string()),
});

const upgradeSummary = z.object({
  group: z.string(),
  id: z.string(),
  /** `running`, `paused`, `aborting` or `failing`; `waiting` before its maintenance window first opens; `unreadable` when somebody has changed its tags. */
  state: z.string(),
  phase: z.string(),
  issue: z.string(),
  seen: z.string(),
  /** Whether it should go on, and nobody has looked at it for more than an hour. */
  unanswered: z.boolean(),
  /** The old nodes that its own cordon keeps closed now. */
  closed: list(z.string()),
});

/** A workload that has more pods for a while, because its budget lets none of its pods leave a node. */
const surgedWorkload = z.object({
  workload: z.string(),
  from: z.int(),
  to: z.int(),
  since: z.string(),
  /** For which node and budget. */
  why: z.string(),
  /** The pods that are not ready yet. */
  awaited: texts,
});

/** What `status` tells of a cluster at one moment. */
export const statusShape = {
  kind: z.literal("status"),
  cluster: z.string(),
  at: z.string(),
  held: list(heldInstance),
  /** Nodes that are marked, or for which AWS plans work, although no hook holds their instance. */
  marked: list(markedNode),
  /** `null` where neither queue can be read; `dead` counts the dead letters, the others the notices. */
  queue: z.nullable(
    z.object({
      waiting: z.nullable(z.int()),
      inFlight: z.nullable(z.int()),
      dead: z.nullable(z.int()),
    }),
  ),
  /** The upgrades of groups that are under way, or have failed or been refused within a day. */
  upgrades: list(upgradeSummary),
  /** The instances that are ill, the one that is due first first; none where the deployment repairs nothing. */
  repairs: list(repairCase),
  /** The workloads that are surged to make room; none where nobody may read them. */
  room: list(surgedWorkload),
  faults: list(fault),
  /** The settings that the files in `clusters/` say, and which of them says each. */
  settings: list(saidSetting),
  /** What could not be read, and how to allow it. */
  gaps: list(gap),
};

/** A row of `status --all`; `null` is what could not be read. */
export const summaryShape = {
  cluster: z.string(),
  region: z.string(),
  at: z.string(),
  /** The version of the deployment. */
  deployed: z.nullable(z.string()),
  /** Whether it is older than the program. */
  behind: z.nullable(z.boolean()),
  held: z.nullable(z.int()),
  /** For how long the node waits that was marked first; `null` where none is held. */
  oldestSeconds: z.nullable(z.number()),
  dead: z.nullable(z.int()),
  /** The alarms that go off. */
  alarms: z.nullable(texts),
  /** What could not be read. */
  gaps: texts,
};

/** What `status` tells of a cluster at one moment. */
export type ClusterStatus = z.input<z.ZodMiniObject<typeof statusShape>>;
/** An instance that hooks hold. */
export type HeldInstanceStatus = z.input<typeof heldInstance>;
/** A node that is marked. */
export type MarkedNode = z.input<typeof markedNode>;
/** A pod that is still on a node, and why. */
export type LeftPod = z.input<typeof leftPod>;
/** A setting that the file of a cluster says, or one under it. */
export type SaidSetting = z.input<typeof saidSetting>;
/** A source that could not be read. */
export type Gap = z.input<typeof gap>;
/** A workload that has more pods for a while. */
export type SurgedWorkload = z.input<typeof surgedWorkload>;
/** A fault of the journal. */
export type LastFault = z.input<typeof fault>;
/** The upgrade of a group that is under way, or has not ended well. */
export type UpgradeSummary = z.input<typeof upgradeSummary>;
