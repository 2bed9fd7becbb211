import type { Instant } from "../../lambda/base/time.ts";
import { withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import type { Pod } from "./pod.ts";

/** Adds the condition that says why a pod is about to be deleted. */
export function disrupted(
  pod: Pod,
  why: { readonly reason: string; readonly message: string },
  now: Instant,
): Pod {
  const conditions = withCondition(pod.status.conditions, {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: wireTime(now),
    ...why,
  });
  return { ...pod, status: { ...pod.status, conditions } };
}
