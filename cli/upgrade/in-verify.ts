import type { GroupWork } from "../verify/group-work.ts";
import { isUpgraded } from "./upgrade-status.ts";

export const works: readonly GroupWork[] = [{ called: "an upgrade", isOn: isUpgraded }];
