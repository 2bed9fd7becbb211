import type { Json } from "../json.ts";
import type { UserInfo } from "./authenticator.ts";
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
  readonly requestObject?: Json;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

/** The object of a request in the audit log's terms; empty fields are left out. */
export function objectRef(request: RequestInfo): Pick<AuditEvent, "objectRef"> {
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
