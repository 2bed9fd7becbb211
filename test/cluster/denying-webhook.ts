import type { V1ValidatingWebhookConfiguration } from "@kubernetes/client-node";
import type { Loopback } from "../http/loopback.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";

/** The requests that a webhook denies, and its message. */
export interface Denial {
  /** The name of the pods whose evictions it denies. */
  readonly pod: string;
  readonly namespaces: readonly string[];
  /** The name of the node whose changes it denies. */
  readonly node: string;
  readonly message: string;
}

/** Starts a webhook that denies. */
export const startDenying = ({ pod, node, message }: Denial): Promise<Loopback> =>
  startWebhook(async ({ name }) => ([pod, node].includes(name) ? { message } : "allowed"));

/** The configuration that makes the API server call it. */
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
