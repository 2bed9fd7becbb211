import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { instant } from "../../../lambda/base/time.ts";
import {
  recordAnnotation,
  recorded,
  recordLabel,
  recordText,
} from "../../../lambda/making-room/record.ts";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

it("status says which workloads are surged, since when, for what, and what they wait for", async () => {
  const { cluster } = await aSite();
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
    metadata: {
      ...metadata,
      labels: { [recordLabel]: recorded },
      annotations: { [recordAnnotation]: record },
    },
  }));
  const told = { from: 1, to: 2, since: "2026-11-20T12:00:00.000Z" };
  const io = capturedIo();
  await main(["status", "demo", "--json"], io);
  expect(jsonLines(io)).toMatchObject([
    { room: [{ ...told, workload: "shop/deployment/web", why: "node a under budget shop/web" }] },
  ]);
  const text = capturedIo({ env: { NO_COLOR: "1" } });
  await main(["status", "demo"], text);
  expect(text.out()).toMatch(
    /shop\/deployment\/web: 1 → 2 pods since .*12:00:00.* for node a under budget shop\/web/,
  );
});
