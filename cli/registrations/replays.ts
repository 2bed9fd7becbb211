import type { OwnReplay } from "../replay/staged-replay.ts";
import { upgradeReplay } from "../upgrade/replay-upgrade.ts";

/** How messages are replayed that are no notices. */
export const ownReplays: readonly OwnReplay[] = [upgradeReplay];
