import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { promisesOf } from "../../cli/verify/promises.ts";
import { newsAnnotation } from "../../lambda/drain/marking.ts";
import { tryUnmarking } from "../../lambda/drain/unmarking.ts";
import { brakeKinds } from "../../lambda/repair/brakes.ts";
import { defaultRules } from "../../lambda/repair/repair-policy.ts";
import { upgradeOptions } from "../../lambda/upgrade/options.ts";
import { alarms } from "../../lib/cluster-file/operation-schema.ts";
import { unwrapped } from "../../tools/lint/wrapped.ts";
import { aNode, noon } from "../support/builders.ts";
import { readMarkdown } from "./read-markdown.ts";

const page = (name: string): string => unwrapped(readFileSync(`docs/${name}.md`, "utf8"));

/** The cells of the column with this head, in the page's table that has it. */
function column(name: string, head: string): readonly string[] {
  const found = readMarkdown(page(name)).tables.find(([row]) => row !== undefined && head in row);
  return (found ?? []).map((row) => row[head] ?? "");
}

/** The texts in backquotes. */
const quoted = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, one = ""]) => one);

describe("the page of repairs", () => {
  it("has a row for each brake, and no other", () => {
    expect(column("repair", "Brake").flatMap(quoted).toSorted()).toEqual(brakeKinds.toSorted());
  });

  it("names the reasons of Nvidia after which a machine is rebooted", () => {
    const rebooting = defaultRules.filter(({ action }) => action === "reboot");
    const [, numbers = ""] = /`NvidiaXID…Error` of ([\d, or]+) \|/.exec(page("repair")) ?? [];
    expect(numbers.match(/\d+/g)).toEqual(rebooting.map(({ reason }) => reason.match(/\d+/)?.[0]));
  });
});

describe("the page of upgrades", () => {
  const rows = Object.values(upgradeOptions);

  it("has each option in its table, and no other", () => {
    const told = column("upgrade", "Option").flatMap(quoted);
    expect(told.toSorted()).toEqual(rows.map(({ flag }) => flag.split(" ")[0]).toSorted());
  });

  it("has the default of each option with a length or a number", () => {
    const options = column("upgrade", "Option");
    const defaults = column("upgrade", "Default");
    for (const { flag, usual } of rows.filter((row) => /^\d/.test(row.usual)))
      expect(defaults[options.findIndex((one) => one.includes(flag.split(" ")[0] ?? ""))]).toMatch(
        new RegExp(`(^|, )${usual}(,|$)`),
      );
  });
});

it("the page of trials has a row for each promise, in their order", () => {
  const measure = { min: 0, max: 0, desired: 0, inService: 0 };
  const trial = { sights: [], requests: [], before: measure, raised: noon, storageClass: "" };
  expect(column("verify", "Promise").flatMap(quoted)).toEqual(
    promisesOf(trial).map(({ promise }) => promise),
  );
});

it("the page of deployments names each alarm that can be switched off", () => {
  const names = Object.keys(alarms.shape).filter((name) => name !== "topicArns");
  expect(names.filter((name) => !page("deploy").includes(`\`${name}\``))).toEqual([]);
});

describe("the runbook", () => {
  it("takes off by hand every annotation that the function takes off", () => {
    const [row = ""] = page("development/formats").match(/^\| a marked node \|.*$/m) ?? [];
    const keys = quoted(row).filter((key) => key.startsWith("eks-node-lifecycle/"));
    const annotations = Object.fromEntries(keys.map((key) => [key, "x"]));
    const removed = Object.keys(tryUnmarking(aNode({ annotations }), [])?.annotations ?? {});
    const [command = ""] = page("runbook").match(/^kubectl annotate node NODE .*$/m) ?? [];

    const told = command.match(/eks-node-lifecycle\/[\w-]+(?=-)/g) ?? [];
    expect(told.toSorted()).toEqual([...removed, newsAnnotation].toSorted());
  });

  it("says how much of the functions' share of the API server others may borrow", () => {
    const [, percent = ""] =
      /lendablePercent: (\d+)/.exec(readFileSync("lambda/rights/flow.yaml", "utf8")) ?? [];
    expect(percent).toBe("90");
    for (const name of ["runbook", "rights"])
      expect(page(name)).toMatch(/others may borrow nine tenths/i);
  });
});
