import { text } from "node:stream/consumers";
import type {
  V1ValidatingWebhook,
  V1ValidatingWebhookConfiguration,
} from "@kubernetes/client-node";
import { type Loopback, serve } from "../adapters/loopback.ts";
import { admissionReviewSchema } from "./admission-review-schema.ts";

/** Says what there is against an object of a name, if anything. */
export type Judge = (name: string) => Promise<"allowed" | { readonly message: string }>;

/** Starts an admission webhook on loopback. */
export const startWebhook = (judge: Judge): Promise<Loopback> =>
  serve("https", async (request, response) => {
    const { uid, name } = admissionReviewSchema.parse(JSON.parse(await text(request))).request;
    const verdict = await judge(name);
    const answer = verdict === "allowed" ? { allowed: true } : { allowed: false, status: verdict };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...review, response: { uid, ...answer } }));
  });

/** Requests that a webhook is asked about. */
export interface Matter {
  readonly name: string;
  readonly apiGroup: string;
  readonly operation: "CREATE" | "UPDATE";
  readonly resource: string;
  readonly scope: Pick<V1ValidatingWebhook, "namespaceSelector" | "objectSelector">;
}

/** What is in one of some namespaces. */
export const inNamespaces = (...values: string[]): Matter["scope"] => ({
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }],
  },
});

/** What makes the API server ask a webhook. */
export const registration = (
  { url, certificateAuthority = "" }: Loopback,
  ...matters: readonly Matter[]
): V1ValidatingWebhookConfiguration => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: matters.map(({ name }) => name).join("-") },
  webhooks: matters.map(({ name, apiGroup, operation, resource, scope }) => ({
    ...scope,
    name: `${name}.example.com`,
    admissionReviewVersions: ["v1"],
    sideEffects: "None",
    failurePolicy: "Fail",
    clientConfig: {
      url: url.href,
      caBundle: Buffer.from(certificateAuthority).toString("base64"),
    },
    rules: [
      {
        apiGroups: [apiGroup],
        apiVersions: ["v1"],
        operations: [operation],
        resources: [resource],
      },
    ],
  })),
});
