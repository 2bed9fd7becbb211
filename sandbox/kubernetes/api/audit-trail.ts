import type { Instant } from "../../../lambda/base/time.ts";
import type { JsonValue } from "../json.ts";
import { wireMicroTime } from "../kube-time.ts";
import type { Random } from "../random.ts";
import type { UserInfo } from "./authenticator.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** One line of the audit log: those fields of audit.k8s.io/v1 that somebody reads. */
export interface AuditEvent {
  readonly requestURI: string;
  readonly verb: string;
  readonly user: Partial<UserInfo>;
  readonly userAgent: string;
  readonly objectRef?: {
    readonly resource: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly apiGroup?: string;
    readonly subresource?: string;
  };
  readonly responseStatus: { readonly code: number };
  readonly requestObject?: JsonValue;
  readonly requestReceivedTimestamp: string;
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

function bodyOf({ body }: KubeRequest): Pick<AuditEvent, "requestObject"> {
  if (body === "") return {}; // most requests; the error of the parser costs more than they do
  try {
    return { requestObject: JSON.parse(body) as JsonValue };
  } catch {
    return {};
  }
}

/** The audit log: every request that got an answer, in the order of the answers. */
export class AuditTrail {
  readonly events: AuditEvent[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Adds an exchange to the audit log, and returns its id. */
  note(
    { request, info, user, received }: Exchange,
    { status: code }: Extract<KubeResponse, { readonly status: number }>,
  ): string {
    const query = request.query.toString();
    this.events.push({
      requestURI: query ? `${request.path}?${query}` : request.path,
      verb: info.verb,
      user: user ?? {},
      userAgent: request.headers["user-agent"] ?? "",
      ...objectRef(info),
      responseStatus: { code },
      ...bodyOf(request),
      requestReceivedTimestamp: wireMicroTime(received),
    });
    return this.#random.uuid();
  }
}
