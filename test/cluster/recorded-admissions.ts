import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import {
  AdmissionregistrationV1Api,
  type ApiConstructor,
  type ApiType,
  AppsV1Api,
  CoreV1Api,
} from "@kubernetes/client-node";
import { type Loopback, serve } from "../support/loopback.ts";
import { wholeReviewSchema } from "./admission-review-schema.ts";

/** What a recording needs of a control plane. */
interface Cluster {
  api<T extends ApiType>(type: ApiConstructor<T>): T;
  apply(object: object): Promise<void>;
}

/** What the policies see beside a request: themselves, the request's namespace, and the Deployments there. */
async function surroundings(cluster: Cluster, namespace: string) {
  const policies = cluster
    .api(AdmissionregistrationV1Api)
    .listValidatingAdmissionPolicy()
    .then(({ items }) => items);
  if (namespace === "") return { policies: await policies, deployments: [] };
  const [found, { items: deployments }] = await Promise.all([
    cluster.api(CoreV1Api).readNamespace({ name: namespace }),
    cluster.api(AppsV1Api).listNamespacedDeployment({ namespace }),
  ]);
  return { policies: await policies, namespace: found, deployments };
}

/**
 * Writes each request of functions and people that comes to admission into a file of this folder, a line each, with all that the
 * policies see of it, before they judge it. `npm run mutate -- fences` asks the changed policies the same.
 */
export async function recordAdmissions(cluster: Cluster, folder: string): Promise<void> {
  const file = join(folder, `${randomUUID()}.ndjson`);
  const server = await serve("https", async (asked, answer) => {
    const { request } = wholeReviewSchema.parse(JSON.parse(await text(asked)));
    const around = await surroundings(cluster, request.namespace);
    appendFileSync(file, `${JSON.stringify({ request, ...around })}\n`);
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    answer.setHeader("content-type", "application/json");
    answer.end(JSON.stringify({ ...review, response: { uid: request.uid, allowed: true } }));
  });
  await cluster.apply(listening(server));
}

/** It changes nothing; but only what changes requests is asked before the policies are. */
const listening = ({ url, certificateAuthority = "" }: Loopback) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "recorded-admissions" },
  webhooks: [
    {
      name: "recorded-admissions.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      matchPolicy: "Exact",
      timeoutSeconds: 30,
      clientConfig: {
        url: url.href,
        caBundle: Buffer.from(certificateAuthority).toString("base64"),
      },
      rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
      matchConditions: [
        {
          name: "by-a-function-or-a-person",
          expression: "!request.userInfo.username.startsWith('system:')",
        },
      ],
    },
  ],
});
