import { afterAll, beforeAll } from "vitest";
import { comingIn } from "./coming-in.ts";
import { evictingPods } from "./evicting-pods.ts";
import { findingNodes } from "./finding-nodes.ts";
import { followingPods } from "./following-pods.ts";
import { followingVolumes } from "./following-volumes.ts";
import { groupNodes } from "./group-nodes.ts";
import { leastPrivilege } from "./least-privilege.ts";
import { markingNodes } from "./marking-nodes.ts";
import { parallelEvictions } from "./parallel-evictions.ts";
import { removingNodes } from "./removing-nodes.ts";
import type { Stage } from "./stage.ts";
import { throttledCalls } from "./throttled-calls.ts";

/** Tests on a cluster, through the adapter, everything that the function relies on. */
export function contract(start: () => Promise<Stage>): () => Stage {
  let standing: Stage | undefined;
  const stage = (): Stage => {
    if (standing === undefined) throw new Error("the stage is not set");
    return standing;
  };
  beforeAll(async () => {
    standing = await start();
  }, 120_000);
  afterAll(async () => standing?.stop());
  findingNodes(stage);
  groupNodes(stage);
  markingNodes(stage);
  removingNodes(stage);
  evictingPods(stage);
  followingPods(stage);
  followingVolumes(stage);
  parallelEvictions(stage);
  throttledCalls(stage);
  comingIn(stage);
  leastPrivilege(stage);
  return stage;
}
