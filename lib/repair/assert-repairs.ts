import type { NodeLifecycleProps } from "../node-lifecycle-props.ts";
import { Refusal } from "../refusal.ts";

/** Refuses repairs that could not work as they are asked for. */
export function assertRepairs({ drain = {}, repair = {} }: NodeLifecycleProps): void {
  const { every, mode } = repair;
  const seconds = every?.toSeconds() ?? 0;
  if (seconds % 60 !== 0)
    throw new Refusal(
      `repair.every is ${seconds} seconds, and EventBridge counts in whole minutes; ${Math.ceil(seconds / 60) * 60} will do`,
    );
  if (drain.mode === "dry-run" && mode !== "dry-run")
    throw new Refusal(
      'with drain.mode "dry-run" instances end undrained, so repairs would end the pods of ill nodes at once; repair.mode "dry-run" will do',
    );
}
