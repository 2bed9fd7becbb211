import type { Instant } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import type { Json } from "../json.ts";
import { wireMicroTime } from "../kube-time.ts";
import type { Random } from "../random.ts";
import type { Status } from "../status.ts";
import { type AuditEvent, objectRef } from "./audit.ts";
import type { UserInfo } from "./authenticator.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** A request, its meaning, its user, and when the server received it. */
export interface Exchange {
  readonly request: KubeRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly received: Instant;
}

function jsonIn(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

type Told = Extract<KubeResponse, { readonly status: number }>;

function statusOf(response: Told): AuditEvent["responseStatus"] {
  const code = response.status;
  if (response.kind === "stream" || code < 300) return { code };
  const told = jsonIn(response.body);
  if (told === undefined) return { code };
  const { status, message, reason } = told as unknown as Status;
  return { code, status, message, reason };
}

function bodyOf({ body }: KubeRequest): Pick<AuditEvent, "requestObject"> {
  const requestObject = jsonIn(body);
  return requestObject === undefined ? {} : { requestObject };
}

/** The audit log: every request that got an answer, in the order of the answers. */
export class AuditTrail {
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #events: AuditEvent[] = [];

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  get events(): readonly AuditEvent[] {
    return this.#events;
  }

  /** Adds an exchange to the audit log, and returns its id. */
  note({ request, info, user, received }: Exchange, response: Told): string {
    const auditID = this.#random.uuid();
    const query = request.query.toString();
    this.#events.push({
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      auditID,
      stage: response.kind === "stream" ? "ResponseStarted" : "ResponseComplete",
      requestURI: query ? `${request.path}?${query}` : request.path,
      verb: info.verb,
      user: user ?? {},
      sourceIPs: ["127.0.0.1"],
      userAgent: request.headers["user-agent"] ?? "",
      ...objectRef(info),
      responseStatus: statusOf(response),
      ...bodyOf(request),
      requestReceivedTimestamp: wireMicroTime(received),
      stageTimestamp: wireMicroTime(this.#timeline.now()),
    });
    return auditID;
  }
}
