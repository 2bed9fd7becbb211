import { setTimeout } from "node:timers/promises";
import type { Duration } from "../../lambda/base/time.ts";
import type { Scene } from "../contract/scene.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";

/** Slows down every write of a budget's status, so that concurrent evictions conflict. */
export async function withSlowBudgets<T>(
  { stage, namespace }: Scene,
  delay: Duration,
  work: () => Promise<T>,
): Promise<T> {
  const webhook = await startWebhook(() => setTimeout(delay, "allowed"));
  const configuration = registration(webhook, {
    name: "slow-budgets",
    apiGroup: "policy",
    operation: "UPDATE",
    resource: "poddisruptionbudgets/status",
    scope: inNamespaces(namespace),
  });
  await stage.administrator.make(configuration);
  try {
    return await work();
  } finally {
    await stage.administrator.remove(configuration);
    webhook.close();
  }
}
