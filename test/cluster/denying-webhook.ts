import type { V1ValidatingWebhookConfiguration } from "@kubernetes/client-node";
import type { Loopback } from "../adapters/loopback.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";

/** What a webhook denies, and what it says then. */
export interface Denial {
  /** The evictions of pods of a name. */
  readonly pod: string;
  readonly namespaces: readonly string[];
  /** Every change of a node. */
  readonly node: string;
  readonly message: string;
}

/** Starts a webhook that denies. */
export const startDenying = ({ pod, node, message }: Denial): Promise<Loopback> =>
  startWebhook(async (name) => ([pod, node].includes(name) ? { message } : "allowed"));

/** What makes the API server ask it. */
export const denying = (
  webhook: Loopback,
  { namespaces, node }: Denial,
): V1ValidatingWebhookConfiguration =>
  registration(
    webhook,
    {
      name: "guardian",
      apiGroup: "",
      operation: "CREATE",
      resource: "pods/eviction",
      scope: inNamespaces(...namespaces),
    },
    {
      name: "nodes",
      apiGroup: "",
      operation: "UPDATE",
      resource: "nodes",
      scope: { objectSelector: { matchLabels: { "kubernetes.io/hostname": node } } },
    },
  );
