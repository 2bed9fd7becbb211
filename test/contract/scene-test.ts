import { it } from "vitest";
import { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

/** A test with a scene of its own, so that many can run at a time. */
export const sceneTest = (stage: () => Stage) =>
  it.extend("scene", async ({ onTestFinished }) => {
    const scene = await Scene.set(stage());
    onTestFinished(() => scene.close());
    return scene;
  });
