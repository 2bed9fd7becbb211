import { describe, expect, it } from "vitest";
import { later, minutes } from "../../lambda/base/time.ts";
import {
  labelOf,
  recordAnnotation,
  recordLabel,
  recordText,
} from "../../lambda/making-room/record.ts";
import { deployments } from "../../sandbox/kubernetes/app-resources.ts";
import { failing } from "../world/fault-plan.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { aRoomWorld, countOf } from "./a-room-world.ts";

/** Somebody has raised a Deployment, with a record like those of drains. */
function raise(world: VirtualWorld, namespace: string, name: string): void {
  const since = world.timeline.now();
  const until = later(since, minutes(9));
  const text = recordText({ phase: "up", was: 1, is: 2, since, until, why: "node a" });
  const annotations = { [recordAnnotation]: text };
  world.cluster.store.create(deployments, {
    metadata: { namespace, name, labels: { [recordLabel]: labelOf(text) }, annotations },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: {}, spec: { containers: [{ name: "main" }] } },
    },
  });
}

describe("counts that somebody has raised in many namespaces, whose writes hang", () => {
  it("are left within two minutes, told, and keep no other count raised", async () => {
    const { world } = aRoomWorld();
    for (let index = 0; index < 35; index += 1) raise(world, `tenant-${index}`, "slow");
    raise(world, "default", "well");
    world.faults = failing(/^patch deployments slow/, "hang");
    world.send({ kind: "put-back", time: "2026-11-20T10:00:00Z" });
    await world.workFor(minutes(2));
    const [done] = world.told("notice-done");
    expect(done).toMatchObject({ outcome: { kind: "put-back" } });
    expect(JSON.stringify(done)).toMatch(/namespace tenant-\d+.*no time was left/);
    expect(countOf(world, "well")).toBe(1);
  });
});
