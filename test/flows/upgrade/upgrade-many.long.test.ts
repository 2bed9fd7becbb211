import { expect, it } from "vitest";
import { minutes } from "../../../lambda/domain/time.ts";
import { UpgradeWorld } from "../../world/upgrade-world.ts";
import { deploy } from "../../world/workloads.ts";

it("upgrades 500 nodes, a fifth at a time, with few requests and receives for each", {
  timeout: 900_000,
}, async () => {
  const size = 500;
  const world = new UpgradeWorld({ size, max: 700 });
  const on = Object.fromEntries(Array.from({ length: size }, (_, index) => [index + 1, 1]));
  deploy(world, { name: "web", on });
  world.cluster.addBudget({ name: "web", maxUnavailable: "20%" });
  const began = world.timeline.now();
  await world.upgraded({ maxUnavailable: { kind: "percentage", value: 20 } });
  const requests = world.requests.length;
  const receives = world.told("upgrade-pass").length;
  const took = Math.round((world.timeline.now() - began) / minutes(1));
  const byKind = Object.entries(
    Object.groupBy(world.requests, ({ what }) => what.split(" ").slice(0, 2).join(" ")),
  )
    .map(([k, v]) => `${k} ${v?.length}`)
    .sort((a, b) => Number(b.split(" ").at(-1)) - Number(a.split(" ").at(-1)));
  const { writeFileSync } = await import("node:fs");
  writeFileSync(
    "/tmp/scratch-upcore-500.txt",
    JSON.stringify({ requests, receives, took, ended: world.ended, byKind }, null, 1) +
      world.entries
        .filter(({ kind }) => /upgrade-(phase|answered|failing|sized)|fault/.test(kind))
        .slice(0, 400)
        .map((e) => JSON.stringify({ ...e, at: new Date(e.at).toISOString() }))
        .join("\n"),
  );

  expect(world.ended).toBe("done");
  expect(world.versions).toEqual(["2"]);
});
