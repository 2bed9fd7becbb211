import type { Duration } from "../../../lambda/base/time.ts";
import type { Cancel } from "../../timeline.ts";
import type { KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** A fault in place of the server's answer, or a delay of it. */
export type KubeFault =
  | "reset"
  | "hang"
  | { readonly slow: Duration }
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text as it is, or an object as JSON. */
      readonly body?: string | object;
    };

/** The requests that a fault is for: every field given here equals the request's field. */
export type FaultMatch = Partial<
  Pick<RequestInfo, "verb" | "group" | "plural" | "subresource" | "namespace" | "name" | "path">
>;

/**
 * The number of times that a fault strikes, and whether before or after the server has done the
 * work.
 */
export interface FaultPlan {
  /** @default 1 */
  readonly times?: number;
  /** @default "before" */
  readonly when?: "before" | "after";
}

/** A fault that strikes now. */
export interface PlannedFault {
  readonly fault: KubeFault;
  readonly when: "before" | "after";
}

interface PendingFault extends PlannedFault {
  readonly match: FaultMatch;
  left: number;
}

/** The faults that are planned, and how often each still strikes. */
export class PlannedFaults {
  readonly #planned: PendingFault[] = [];

  plan(
    match: FaultMatch,
    fault: KubeFault,
    { times = 1, when = "before" }: FaultPlan = {},
  ): Cancel {
    const planned: PendingFault = { match, fault, when, left: times };
    this.#planned.push(planned);
    return () => {
      planned.left = 0;
    };
  }

  /** Takes the first fault that is planned for a request. */
  take(request: RequestInfo): PlannedFault | undefined {
    const found = this.#planned.find(({ match, left }) => left > 0 && agrees(match, request));
    if (found !== undefined) found.left -= 1;
    return found;
  }
}

const agrees = (match: FaultMatch, request: RequestInfo): boolean =>
  Object.entries(match).every(([word, value]) => request[word as keyof FaultMatch] === value);

/** The answer that a fault gives in place of the server's. */
export function faultResponse(
  fault: Exclude<KubeFault, { readonly slow: Duration }>,
): KubeResponse {
  if (fault === "reset" || fault === "hang") return { kind: fault };
  const { status, headers = {}, body = "" } = fault;
  const isText = typeof body === "string";
  return {
    kind: "answer",
    status,
    headers: {
      "content-type": isText ? "text/plain; charset=utf-8" : "application/json",
      ...headers,
    },
    body: isText ? body : `${JSON.stringify(body)}\n`,
  };
}

/** The answer of API Priority and Fairness to one request too many. */
export const throttled = (retryAfterSeconds: number): KubeFault => ({
  status: 429,
  headers: { "retry-after": String(retryAfterSeconds), "x-content-type-options": "nosniff" },
  body: "Too many requests, please try again later.\n",
});

/** The answer of an API server that is shutting down. */
export const shuttingDown: KubeFault = {
  status: 429,
  headers: { "retry-after": "5", connection: "close", "x-content-type-options": "nosniff" },
  body: "The apiserver is shutting down, please try again later.\n",
};
