import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/domain/time.ts";
import { endingsIn, writtenIn } from "../world/evidence.ts";
import { nodeOf } from "../world/landscape.ts";
import { VirtualWorld } from "../world/virtual-world.ts";

describe("a drain", () => {
  it("evicts the pods of a terminating instance and completes its hook once, with its token", async () => {
    const world = new VirtualWorld();
    world.cluster.addDeployment({
      name: "web",
      replicas: 2,
      pods: [
        { name: "web-1", node: nodeOf(1) },
        { name: "web-2", node: nodeOf(2) },
      ],
    });
    world.terminate(1);
    await world.work(minutes(20));
    expect(writtenIn(world)).toEqual([
      `patch nodes ${nodeOf(1)} 200`,
      "create pods/eviction web-1 201",
    ]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});
