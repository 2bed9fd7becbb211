import { text } from "node:stream/consumers";
import type {
  V1MutatingWebhookConfiguration,
  V1ValidatingWebhook,
  V1ValidatingWebhookConfiguration,
} from "@kubernetes/client-node";
import { type Loopback, serve } from "../support/loopback.ts";
import { type AdmissionRequest, admissionReviewSchema } from "./admission-review-schema.ts";

/** An operation of a JSON patch. */
interface Addition {
  readonly op: "add";
  readonly path: string;
  readonly value: unknown;
}

type Verdict = "allowed" | { readonly message: string } | { readonly patch: readonly Addition[] };

/** Decides whether to allow a request, and gives the reason against it or what is to be changed in it. */
export type Judge = (request: AdmissionRequest) => Promise<Verdict>;

/** Starts an admission webhook on loopback. */
export const startWebhook = (judge: Judge): Promise<Loopback> =>
  serve("https", async (request, response) => {
    const asked = admissionReviewSchema.parse(JSON.parse(await text(request))).request;
    const verdict = await judge(asked);
    const answer = answerOf(verdict);
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...review, response: { uid: asked.uid, ...answer } }));
  });

function answerOf(verdict: Verdict): object {
  if (verdict === "allowed") return { allowed: true };
  if ("message" in verdict) return { allowed: false, status: verdict };
  const patch = Buffer.from(JSON.stringify(verdict.patch)).toString("base64");
  return { allowed: true, patchType: "JSONPatch", patch };
}

/** The requests that a webhook judges. */
export interface Matter {
  readonly name: string;
  readonly apiGroup: string;
  readonly operation: "CREATE" | "UPDATE";
  readonly resource: string;
  readonly scope: Pick<V1ValidatingWebhook, "namespaceSelector" | "objectSelector">;
}

/** Selects the objects in some namespaces. */
export const inNamespaces = (...values: string[]): Matter["scope"] => ({
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }],
  },
});

/** The configuration that makes the API server call a webhook that may change what it gets. */
export const mutation = (
  webhook: Loopback,
  ...matters: readonly Matter[]
): V1MutatingWebhookConfiguration => ({
  ...registration(webhook, ...matters),
  kind: "MutatingWebhookConfiguration",
});

/** The configuration that makes the API server call a webhook. */
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
