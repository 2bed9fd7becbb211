import { randomUUID } from "node:crypto";
import { CoreV1Api } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import type { ControlPlane } from "./control-plane.ts";
import { refusal } from "./refusal.ts";

const patience = { timeout: 60_000, interval: 100 };

/**
 * Waits until the API server enforces every policy that has been applied so far: about each second it takes over all that
 * it has heard of, so a policy of ours that comes last is enforced last.
 */
export async function untilEnforced(controlPlane: ControlPlane): Promise<void> {
  const name = `enforced-${randomUUID()}`;
  const rule = {
    apiGroups: [""],
    apiVersions: ["v1"],
    operations: ["CREATE"],
    resources: ["configmaps"],
    resourceNames: [name],
  };
  await controlPlane.apply(...refusal({ name, message: name, match: { resourceRules: [rule] } }));
  const trial = { namespace: "default", dryRun: "All", body: { metadata: { name } } };
  const tried = () => controlPlane.api(CoreV1Api).createNamespacedConfigMap(trial);
  await vi.waitFor(() => expect(tried()).rejects.toThrow(name), patience);
}
