import type { Instant } from "../../lambda/domain/time.ts";
import { wireTime } from "./fields/kube-time.ts";
import { withCondition } from "./kinds/kube-object.ts";
import type { Pod } from "./kinds/pod.ts";

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
