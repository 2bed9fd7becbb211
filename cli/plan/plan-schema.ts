import * as z from "zod/mini";
import { list, texts } from "../../journal/form-schema.ts";
import { merged } from "../../lib/merged.ts";
import { ownSchemas } from "../own-schemas.ts";
import { saidSetting } from "../status/setting-schema.ts";

const part = z.object({ on: z.string(), seconds: z.number(), rounds: z.int() });
const span = z.object({ seconds: z.number(), parts: list(part) });

const pod = z.object({
  pod: z.string(),
  workload: z.string(),
  fate: z.enum(["stays", "goes", "waits", "late", "stuck", "never"]),
  /** The class of a pod that stays. */
  class: z.string(),
  holds: list(z.object({ kind: z.string(), reason: z.string(), budgets: texts })),
  force: z.enum(["nothing", "evicts", "deletes"]),
  forceAfterSeconds: z.number(),
  /**
   * The drain in which it gets all of its grace: this one, one of `fitTimeoutSeconds`, or none that a hook can hold.
   */
  fit: z.enum(["fits", "with-timeout", "never"]),
  fitTimeoutSeconds: z.number(),
  place: z.enum(["place", "crowded", "nowhere"]),
  placeReason: z.string(),
  tier: z.enum(["ordinary", "critical"]),
  ownGraceSeconds: z.number(),
  graceSeconds: z.number(),
  localData: texts,
  warnings: texts,
});

/** The fields that `plan` writes for each node. */
export const planFields = {
  kind: z.literal("plan"),
  node: z.string(),
  /** Why no new pod comes to the node already, such as its mark; empty if it is open. */
  closed: z.string(),
  timeoutSeconds: z.number(),
  forceAllowed: z.enum(["at-deadline", "never"]),
  quickest: span,
  longest: span,
  withForce: span,
  pods: list(pod),
};

/** The fields of the summary that `plan` writes last. */
export const planSummaryFields = {
  kind: z.literal("plan-summary"),
  scope: z.enum(["nodes", "group", "cluster"]),
  exitCode: z.int(),
  nodes: z.int(),
  blockers: list(
    z.object({ workload: z.string(), reason: z.string(), pods: z.int(), nodes: texts }),
  ),
  /**
   * The workloads whose budgets allow no disruption, and that get more pods first: their replicas before and after. If these
   * are equal, `why` gives the reason.
   */
  room: list(z.object({ workload: z.string(), from: z.int(), to: z.int(), why: z.string() })),
  ...merged(ownSchemas.map(({ planFields }) => planFields)),
  /** The settings in the files of `clusters/`, and which file has each; without those that an option overrides. */
  settings: list(saidSetting),
  remarks: texts,
  notLookedAt: texts,
};
