import { z } from "zod";

/** @see https://kubernetes.io/docs/reference/config-api/apiserver-audit.v1/#audit-k8s-io-v1-Event */
export const auditEventSchema = z.object({
  stage: z.string(),
  stageTimestamp: z.string(),
  verb: z.string(),
  requestURI: z.string(),
  user: z.object({ username: z.string().optional(), groups: z.array(z.string()).optional() }),
  userAgent: z.string().optional(),
  objectRef: z
    .object({
      apiGroup: z.string().optional(),
      resource: z.string().optional(),
      subresource: z.string().optional(),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number().optional() }).optional(),
  requestObject: z.unknown().optional(),
});
