import { instant } from "../../../lambda/base/time.ts";
import { recordText } from "../../../lambda/making-room/record.ts";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { recordedByUs } from "../../support/recorded-by-us.ts";
import type { Site } from "../connect/a-site.ts";

/** A Deployment `shop/web` that was surged from one pod to two. */
export function aSurge({ cluster }: Site): void {
  cluster.addDeployment({ name: "web", namespace: "shop", replicas: 2 });
  const since = instant(Date.parse("2026-11-20T12:00:00Z"));
  const record = recordText({
    phase: "up",
    was: 1,
    is: 2,
    since,
    until: since,
    why: "node a under budget shop/web",
  });
  const ref = { resource: deployments, namespace: "shop", name: "web" };
  cluster.store.update(ref, ({ metadata, ...deployment }) => ({
    ...deployment,
    metadata: { ...metadata, ...recordedByUs(record) },
  }));
}
