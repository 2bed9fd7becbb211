import type { Instant } from "../../lambda/base/time.ts";
import type { Scene } from "./scene.ts";

/** When the grace of a terminating pod ends. */
export async function untilOf(scene: Scene, name: string): Promise<Instant> {
  const { termination } = await scene.until(name, () => true);
  if (termination.kind === "terminating") return termination.until;
  throw new Error(`${name} stays`);
}
