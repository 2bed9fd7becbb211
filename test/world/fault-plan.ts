import type { Instant } from "../../lambda/base/time.ts";
import type { InjectedFault } from "../../sandbox/aws/faults.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import type { WorldPass } from "./passes.ts";

/** A request that the function sends to the world. */
export interface FunctionRequest {
  /** The request's number, from 1 in the order of sending. */
  readonly number: number;
  readonly at: Instant;
  /** The pass that sends it, or `none` where it belongs to no pass. */
  readonly pass: WorldPass | "none";
  readonly to: "aws" | "cluster";
  /** Such as `create pods/eviction web-1` or `autoscaling CompleteLifecycleAction`. */
  readonly what: string;
  /** Empty where there is none. */
  readonly body: string;
}

/** A request before it is counted. */
export type Meeting = Omit<FunctionRequest, "at" | "number" | "pass">;

/** Whether something happens before a request has taken effect, or between the effect and the answer. */
export type Moment = "after" | "before";

/** What happens to a request. */
export type Fault =
  | { readonly kind: "well" }
  /** The function's process dies at once. */
  | { readonly kind: "death"; readonly moment: Moment }
  | { readonly kind: "aws-fault"; readonly fault: InjectedFault; readonly moment: Moment }
  | { readonly kind: "cluster-fault"; readonly fault: KubeFault; readonly moment: Moment };

/** Decides what happens to each request. */
export type FaultPlan = (request: FunctionRequest) => Fault;

/** The request succeeds without a fault. */
export const well: Fault = { kind: "well" };

/** The API server answers like this to such requests, as often as given. */
export const failing = (requests: RegExp, fault: KubeFault, times = Number.POSITIVE_INFINITY) =>
  striking(requests, { kind: "cluster-fault", fault, moment: "before" }, times);

/** AWS answers like this to such requests, as often as given. */
export const awsFailing = (
  requests: RegExp,
  fault: InjectedFault,
  times = Number.POSITIVE_INFINITY,
) => striking(requests, { kind: "aws-fault", fault, moment: "before" }, times);

function striking(requests: RegExp, fault: Fault, times: number): FaultPlan {
  const to = fault.kind === "aws-fault" ? "aws" : "cluster";
  let left = times;
  return (request) => {
    if (request.to !== to || !requests.test(request.what) || left === 0) return well;
    left -= 1;
    return fault;
  };
}
