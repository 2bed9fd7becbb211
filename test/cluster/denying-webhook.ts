import { text } from "node:stream/consumers";
import type {
  V1RuleWithOperations,
  V1ValidatingWebhookConfiguration,
} from "@kubernetes/client-node";
import { z } from "zod";
import { type Loopback, serve } from "../adapters/loopback.ts";

const reviewSchema = z.object({ request: z.object({ uid: z.string(), name: z.string() }) });

/** What a webhook denies, and what it says then. */
export interface Denial {
  /** The evictions of pods of a name. */
  readonly pod: string;
  readonly namespaces: readonly string[];
  /** Every change of a node. */
  readonly node: string;
  readonly message: string;
}

/** Starts an admission webhook on loopback. */
export const startWebhook = ({ pod, node, message }: Denial): Promise<Loopback> =>
  serve("https", async (request, response) => {
    const { uid, name } = reviewSchema.parse(JSON.parse(await text(request))).request;
    const denied = [pod, node].includes(name);
    const answer = denied ? { allowed: false, status: { message } } : { allowed: true };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...review, response: { uid, ...answer } }));
  });

/** What makes the API server ask the webhook. */
export function registration(
  { url, certificateAuthority = "" }: Loopback,
  { namespaces, node }: Denial,
): V1ValidatingWebhookConfiguration {
  const caBundle = Buffer.from(certificateAuthority).toString("base64");
  const usual = {
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    clientConfig: { url: url.href, caBundle },
  };
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "guardian" },
    webhooks: [
      {
        ...usual,
        name: "guardian.example.com",
        rules: [rule("CREATE", "pods/eviction")],
        namespaceSelector: {
          matchExpressions: [
            { key: "kubernetes.io/metadata.name", operator: "In", values: [...namespaces] },
          ],
        },
      },
      {
        ...usual,
        name: "nodes.example.com",
        rules: [rule("UPDATE", "nodes")],
        objectSelector: { matchLabels: { "kubernetes.io/hostname": node } },
      },
    ],
  };
}

const rule = (operation: string, resource: string): V1RuleWithOperations => ({
  apiGroups: [""],
  apiVersions: ["v1"],
  operations: [operation],
  resources: [resource],
});
