import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { rightsFiles } from "../../cli/manifests/access-manifests.ts";
import { type RightsChoice, rightsFor, rightsParts } from "../../lambda/rights/rights.ts";
import { conditions, withRightsTable } from "../../tools/generate/rights-table.ts";

const everything: RightsChoice = {
  account: "arn:aws:iam::123456789012",
  apiPriority: "own",
  awsAuth: "edit",
  conditions: "on",
  events: "on",
  force: "at-deadline",
  makeRoom: "on",
  nodeRoles: [],
  outOfService: "taint",
  ownTaint: "",
  removeNode: "stopped",
  repairs: "on",
  secondOpinion: "restart-agent",
  upgrades: "on",
};

describe("the rights in the cluster", () => {
  const page = readFileSync("docs/rights.md", "utf8");

  it("stand in the table that `npm run generate` writes into docs/rights.md", () => {
    expect(withRightsTable(page)).toBe(page);
  });

  it("have a row for each file of lambda/rights", () => {
    expect(Object.values(rightsFiles).toSorted()).toEqual(
      globSync("lambda/rights/*.yaml")
        .map((path) => basename(path))
        .toSorted(),
    );
  });

  it.each(rightsParts)("are applied as the table says: %s", (part) => {
    const { without } = conditions[part];

    // Where functions may delete pods anyway, the restart of the agent needs no right of its own.
    const all =
      part === "agent-restart" ? ({ ...everything, force: "never" } as const) : everything;
    expect(rightsFor(all).parts).toContain(part);
    if (without === undefined) {
      const least = { awsAuth: "none", events: "off", force: "never", makeRoom: "off" } as const;
      const off = { removeNode: "never", repairs: "off", upgrades: "off" } as const;
      const shared = { apiPriority: "shared" } as const;
      expect(rightsFor({ ...everything, ...least, ...off, ...shared }).parts).toContain(part);
    } else expect(rightsFor({ ...all, ...without }).parts).not.toContain(part);
  });

  it.each([
    ["another condition", "unless `drain.force` is `never`", "always"],
    ["a right that nobody has", "delete `pods` |", "delete `pods`, `secrets` |"],
    ["a missing group", ", `eks-node-lifecycle-repairs` |", " |"],
  ])("are corrected by `npm run generate` if the table has %s", (_, found, by) => {
    const other = page.replace(found, by);
    expect(other).not.toBe(page);
    expect(withRightsTable(other)).toBe(page);
  });
});
