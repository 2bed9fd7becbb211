import { performance } from "node:perf_hooks";
import { type Duration, milliseconds } from "../../lambda/base/time.ts";
import { kubeFault } from "../../lambda/kubernetes/kube-fault.ts";
import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { Found } from "../connect/found.ts";
import { readCluster } from "./reading.ts";

/** An answer of the API server to a small request, and how long it took. */
export interface TimedAnswer {
  readonly status: number;
  readonly time: Duration;
}

export type TimedAnswers = readonly [TimedAnswer, ...TimedAnswer[]];

/** Sends three small requests at once, and measures them. None is sent again, so that a busy server shows. */
export const timedAnswers = (access: ClusterAccess): Promise<Found<TimedAnswers>> =>
  readCluster("get /version", () => Promise.all([timed(access), timed(access), timed(access)]));

async function timed({ client }: ClusterAccess): Promise<TimedAnswer> {
  const request = { method: "GET", path: "/version", meant: [429] } as const;
  const began = performance.now();
  try {
    const { status } = await client.once((connection) => sendRequest(connection, request));
    return { status, time: milliseconds(performance.now() - began) };
  } catch (cause) {
    throw kubeFault("measuring how long the API server takes", cause);
  }
}
