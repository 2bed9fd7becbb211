import { expect, test } from "vitest";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { place } from "../config/place.ts";

const drainMode = "eks-node-lifecycle/drain-mode";

test.each([
  ["only reported where the deployment only reports drains", "dry-run", {}, "dry-run"],
  [
    "only reported where the group's tag says so of drains",
    "evict",
    { [drainMode]: "dry-run" },
    "dry-run",
  ],
  ["done where the group's tag says that it drains", "dry-run", { [drainMode]: "evict" }, "repair"],
  ["done where drains only cordon", "cordon-only", {}, "repair"],
])("repairs are %s", (_, mode, tags, expected) => {
  const { repair } = parseRepairConfig({ ...place, DRAIN_MODE: mode });
  expect(repair.settingsFor(tags).settings.mode).toBe(expected);
});
