import type { Taint } from "./node.ts";
import { type PodSpec, tolerationsOf } from "./pod.ts";

/** Whether a pod with this spec may run on a node in spite of the taint. */
export const isTolerated = (spec: PodSpec, taint: Taint): boolean =>
  taint.effect === "PreferNoSchedule" || tolerationsOf(spec, taint).length > 0;
