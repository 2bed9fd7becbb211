import { filled, oneOf, part, unique, whole } from "./field-schema.ts";
import { taintKey } from "./name-schema.ts";

/** How nodes are drained, as a cluster's file says it. */
export const drain = part({
  timeoutSeconds: whole(30, 172_800).optional(),
  force: oneOf("at-deadline", "never").optional(),
  tiers: oneOf("critical-last", "none").optional(),
  tierPercent: whole(0, 100).optional(),
  settleSeconds: whole(0, 120).optional(),
  protectedBy: unique(
    oneOf("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/safe-to-evict"),
    "a list of annotations",
  ).optional(),
  volumeTimeoutSeconds: whole(0, 3600).optional(),
  concurrency: whole(1, 100).optional(),
  taint: filled("a taint such as example.com/draining=true:NoSchedule").optional(),
  daemonSets: oneOf("leave", "evict").optional(),
  mode: oneOf("evict", "cordon-only").optional(),
}).describe("How nodes are drained; what is left out keeps its default.");

/** How instances are launched, as a cluster's file says it. */
export const launch = part({
  timeoutSeconds: whole(30, 172_800).optional(),
  gate: oneOf("on", "off").optional(),
  startupTaints: unique(taintKey, "a list of the keys of taints").optional(),
  atDeadline: oneOf("CONTINUE", "ABANDON").optional(),
  access: oneOf("auto", "aws-auth", "access-entry").optional(),
}).describe("How instances are launched; what is left out keeps its default.");
