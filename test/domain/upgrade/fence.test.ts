import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { upgradeAnnotations } from "../../../lambda/domain/upgrade/upgrade-annotations.ts";

it.each(Object.values(upgradeAnnotations))("an upgrade may write %s by the fence", (key) => {
  const fence = readFileSync("lambda/rights/node-fence.yaml", "utf8");
  expect(fence).toContain(`'${key.replace("eks-node-lifecycle/", "")}'`);
});
