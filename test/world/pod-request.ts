import type { Instant } from "../../lambda/base/time.ts";
import type { FunctionRequest } from "./fault-plan.ts";
import { letGo } from "./request-body-schema.ts";

/** A request to evict or delete a pod. */
export interface PodRequest {
  readonly verb: "delete" | "evict";
  readonly at: Instant;
  readonly uid: string;
  /** The grace in seconds, if the request names one. */
  readonly grace: number | undefined;
}

/** Reads a request to evict or delete a pod; `undefined` for any other request. */
export function tryPodRequest({ what, body, at }: FunctionRequest): PodRequest | undefined {
  const verb = verbOf(what);
  if (verb === undefined) return undefined;
  const asked = letGo.parse(JSON.parse(body));
  const { preconditions, gracePeriodSeconds: grace } =
    "deleteOptions" in asked ? asked.deleteOptions : asked;
  return { verb, at, uid: preconditions.uid, grace };
}

function verbOf(what: string): PodRequest["verb"] | undefined {
  if (what.startsWith("create pods/eviction ")) return "evict";
  return what.startsWith("delete pods ") ? "delete" : undefined;
}
