import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { functionPermissions } from "../../lib/function/function-permissions.ts";
import type { PermissionGrant } from "../../lib/function/permission-grant.ts";
import { repairPermissions } from "../../lib/repair/repair-permissions.ts";
import { upgradePermissions } from "../../lib/upgrade/upgrades.ts";
import { unwrapped } from "../../tools/lint/wrapped.ts";

const page = unwrapped(readFileSync("docs/private-clusters.md", "utf8"));

/** The APIs that a function calls itself. IAM has no endpoint in most Regions. */
const called = (grants: readonly PermissionGrant<string>[]): readonly string[] =>
  grants
    .filter((grant) => grant.for === "calls")
    .flatMap(({ actions }) => actions.map((action) => action.replace(/:.*/, "")))
    .filter((api) => api !== "iam");

const sorted = (apis: readonly string[]): readonly string[] => [...new Set(apis)].toSorted();
const namesIn = (text: string): readonly string[] =>
  [...text.matchAll(/[`"]([a-z0-9-]+)[`"]/g)].map(([, name = ""]) => name);
const sentence = (start: RegExp): string => start.exec(page)?.[0] ?? "";

describe("the page about private clusters", () => {
  const own = sorted(called(functionPermissions));

  it("names the APIs that the node function calls, in its sentence and in its example", () => {
    expect(namesIn(sentence(/five APIs of AWS:[^.]+/)).toSorted()).toEqual(own);
    const example = sentence(/"privateEndpoints": \[[^\]]+/).replace('"privateEndpoints"', "");
    expect(namesIn(example).toSorted()).toEqual(own);
    expect(own).toHaveLength(5);
  });

  it("names what repairs and upgrades need besides", () => {
    const besides = (grants: readonly PermissionGrant<string>[]) =>
      sorted(called(grants)).filter((api) => !own.includes(api));
    const told = sentence(/\[Repairs\].*?parameters\./);
    const [ofBoth = "", ofUpgrades = ""] = told.split(", and upgrades");
    expect(namesIn(ofBoth)).toEqual(besides(repairPermissions));
    expect(namesIn(ofBoth + ofUpgrades)).toEqual(besides(upgradePermissions));
  });
});
