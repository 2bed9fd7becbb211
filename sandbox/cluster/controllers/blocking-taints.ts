import type { Taint } from "../node.ts";
import { type PodSpec, tolerationsOf } from "../pod.ts";

/** Whether a taint keeps no pod of this kind from a node. */
export const isTolerated = (spec: PodSpec, taint: Taint): boolean =>
  taint.effect === "PreferNoSchedule" || tolerationsOf(spec, taint).length > 0;
