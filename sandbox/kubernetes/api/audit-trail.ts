import type { Instant } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import type { JsonValue } from "../json.ts";
import { wireMicroTime } from "../kube-time.ts";
import type { Random } from "../random.ts";
import type { Status } from "../status.ts";
import type { UserInfo } from "./authenticator.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** One line of the audit log, in the shape of audit.k8s.io/v1. */
export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly level: "RequestResponse";
  readonly auditID: string;
  readonly stage: "ResponseComplete" | "ResponseStarted";
  readonly requestURI: string;
  readonly verb: string;
  readonly user: Partial<UserInfo>;
  readonly sourceIPs: readonly string[];
  readonly userAgent: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly apiVersion: string;
    readonly subresource?: string;
  };
  readonly responseStatus: {
    readonly code: number;
    readonly status?: string;
    readonly message?: string;
    readonly reason?: string;
  };
  readonly requestObject?: JsonValue;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** The object of a request in the audit log's terms; empty fields are left out. */
function objectRef(request: RequestInfo): Pick<AuditEvent, "objectRef"> {
  if (!request.isResource) return {};
  const { plural, namespace, name, group, subresource } = request;
  return {
    objectRef: {
      resource: plural,
      ...(namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
      ...(group ? { apiGroup: group } : {}),
      apiVersion: "v1",
      ...(subresource ? { subresource } : {}),
    },
  };
}

/** A request, its meaning, its user, and when the server received it. */
export interface Exchange {
  readonly request: KubeRequest;
  readonly info: RequestInfo;
  readonly user: UserInfo | undefined;
  readonly received: Instant;
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

type StatusResponse = Extract<KubeResponse, { readonly status: number }>;

function statusOf(response: StatusResponse): AuditEvent["responseStatus"] {
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
  note({ request, info, user, received }: Exchange, response: StatusResponse): string {
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
