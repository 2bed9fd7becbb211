import { expect, vi } from "vitest";
import { type EndedAtOnce, running } from "./ended-at-once.ts";

/** Holds that each instance was released once. */
export function expectReleasedOnce({ world, instances, actions }: EndedAtOnce): void {
  expect(actions.map(({ end }) => end)).toEqual(
    instances.map(() => expect.objectContaining({ result: "CONTINUE", by: "call" })),
  );
  expect(world.aws.calls.of("CompleteLifecycleAction")).toHaveLength(instances.length);
}

/** Holds that all pods run again, on the nodes that stay. */
export async function expectPodsStay({ world, staying, before }: EndedAtOnce): Promise<void> {
  await vi.waitFor(
    async () => {
      const nodes = [...(await running(world)).values()];
      expect(nodes).toHaveLength(before.size);
      expect(new Set(nodes)).toEqual(new Set(staying));
    },
    { timeout: 60_000, interval: 500 },
  );
}
