import type { Instant } from "../../lambda/base/time.ts";
import { type Fault, type FunctionRequest, well } from "./fault-plan.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** How all requests of a kind fail: AWS or the API server denies them, or answers with an error of its own. */
export type Trouble = "denied" | "down";

/** The first request of its kind in a stage of some work. */
export interface FirstRequest {
  /** Such as `patch nodes` or `autoscaling TerminateInstanceInAutoScalingGroup`. */
  readonly kind: string;
  readonly stage: string;
  readonly number: number;
}

const kindOf = ({ to, what }: FunctionRequest): string =>
  to === "aws" ? what : what.split(" ").slice(0, 2).join(" ");

/** Hooks are drained by another function. Events and the queue have tests of their own. */
const isConcerned = (request: FunctionRequest): boolean =>
  (request.pass === "none" || request.pass.index === 0) &&
  !/^sqs |\bevents\b/.test(kindOf(request));

/** Notes what a world sends from now on, each kind once in each stage. Returns the list, which grows. */
export function firstRequestsOf(
  world: VirtualWorld,
  stage: () => string,
): () => readonly FirstRequest[] {
  const found = new Map<string, FirstRequest>();
  world.faults = (request) => {
    const first = { kind: kindOf(request), stage: stage(), number: request.number };
    const key = titleOf(first);
    if (isConcerned(request) && !found.has(key)) found.set(key, first);
    return well;
  };
  return () => [...found.values()];
}

/** Such as `running scale-up: list nodes`. */
export const titleOf = ({ kind, stage }: Pick<FirstRequest, "kind" | "stage">): string =>
  `${stage}: ${kind}`;

/** Has all requests of a kind fail from one of them on, until that time. */
export function failFrom(
  world: VirtualWorld,
  { number, kind }: Pick<FirstRequest, "kind" | "number">,
  trouble: { readonly kind: Trouble; until(began: Instant): Instant },
): void {
  let began: Instant | undefined;
  world.faults = (request) => {
    if (request.number < number || kindOf(request) !== kind || !isConcerned(request)) return well;
    began ??= request.at;
    return request.at < trouble.until(began) ? faultOf(request, trouble.kind) : well;
  };
}

const words = { denied: "not allowed", down: "try again later" } as const;

function faultOf({ to, what }: FunctionRequest, trouble: Trouble): Fault {
  const message = words[trouble];
  const status = trouble === "denied" ? 403 : 503;
  const moment = "before";
  if (to === "cluster") {
    const body = { kind: "Status", code: status, message };
    return { kind: "cluster-fault", fault: { status, body }, moment };
  }
  const code = trouble === "down" ? "ServiceUnavailable" : codeOfDenial(what);
  return { kind: "aws-fault", fault: { status, code, message }, moment };
}

const codeOfDenial = (what: string): string =>
  what.startsWith("ec2 ") ? "UnauthorizedOperation" : "AccessDenied";
