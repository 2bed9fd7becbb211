import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aSurge } from "./a-surge.ts";

it("status says which workloads are surged, since when, for what, and what they wait for", async () => {
  aSurge(await aSite());
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
