import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import type { V1ValidatingWebhookConfiguration } from "@kubernetes/client-node";
import { z } from "zod";
import type { Duration } from "../../lambda/domain/time.ts";
import { type Loopback, serve } from "../adapters/loopback.ts";
import type { Scene } from "../contract/scene.ts";

const reviewSchema = z.object({ request: z.object({ uid: z.string() }) });

/** Lets every write of a budget's status take a while, so that evictions at one time lose to one another. */
export async function withSlowBudgets<T>(
  { stage, namespace }: Scene,
  delay: Duration,
  work: () => Promise<T>,
): Promise<T> {
  const webhook = await serve("https", async (request, response) => {
    const { uid } = reviewSchema.parse(JSON.parse(await text(request))).request;
    await setTimeout(delay);
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ...review, response: { uid, allowed: true } }));
  });
  const configuration = registration(webhook, namespace);
  await stage.administrator.make(configuration);
  try {
    return await work();
  } finally {
    await stage.administrator.remove(configuration);
    webhook.close();
  }
}

const registration = (
  { url, certificateAuthority = "" }: Loopback,
  namespace: string,
): V1ValidatingWebhookConfiguration => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "slow-budgets" },
  webhooks: [
    {
      name: "slow.budgets.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      clientConfig: {
        url: url.href,
        caBundle: Buffer.from(certificateAuthority).toString("base64"),
      },
      rules: [
        {
          apiGroups: ["policy"],
          apiVersions: ["v1"],
          operations: ["UPDATE"],
          resources: ["poddisruptionbudgets/status"],
        },
      ],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
    },
  ],
});
