import { expect } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { UpgradeWorld } from "../world/upgrade-world.ts";

/** Expects an upgrade that has not begun to keep a second one from beginning, and to be called off like any other. */
export async function expectsNoSecond(world: UpgradeWorld): Promise<void> {
  world.start({}, "12345678");
  await world.workFor(minutes(5));
  expect(world.told("upgrade-answered").at(-1)?.end).toEqual({
    kind: "refused",
    reasons: ["not 12345678, but upgrade 0badcafe of group workers has not begun yet"],
  });

  world.command({ kind: "abort", id: "aaaaaaaa" });
  await world.work();
  expect(world.ended).toBe("aborted");
  expect(Object.keys(world.ownTags)).toEqual(["upgrade-ended"]);
}
