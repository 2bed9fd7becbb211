import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { firstStep, lastSteps, stepsByCdk } from "../../cli/init/next-steps.ts";
import { readMarkdown } from "./read-markdown.ts";

const read = (path: string) => readFileSync(path, "utf8");
const begin = read("docs/getting-started.md");

/** The commands of a page up to that of the first real drain, without what is there only for those who look closer. */
const [, block = ""] = /```sh\n([\s\S]*?)```/.exec(begin) ?? [];
const steps = block.trim().split("\n");

/** The values that nobody can take as they are offered. */
const decisions = new Set(steps.join("\n").match(/(?<![\w-])[A-Z]{2,}(?![\w-])/g));

/** The commands of a page, each with the number of the step that it stands in. */
function numbered(page: string): readonly (readonly [step: number, command: string])[] {
  const [path = ""] = page.split("**Then**");
  return [...path.matchAll(/^(\d)\. ([\s\S]*?)(?=^\d\. |^[^\s\d-]|(?![\s\S]))/gm)].flatMap(
    ([, number, body = ""]) => {
      const lines = body.replace(/^ {3}/gm, "");
      const { commands, code } = readMarkdown(lines);
      return [...commands, ...code].map((command) => [Number(number), command] as const);
    },
  );
}

const migrations = globSync("docs/migrate/*.md").toSorted();

describe("the way to a first real drain", () => {
  it("has eight steps and two decisions, and ends with a drain", () => {
    expect(steps.length).toBeLessThanOrEqual(8);
    expect([...decisions]).toEqual(["NAME", "GROUP"]);
    expect(steps.at(-1)).toMatch(/ verify NAME --group GROUP --yes$/);
    expect(begin).toContain("Eight steps to a first real drain.");
    expect(begin).toContain("You decide two things:");
  });

  it("deploys once, before anything evicts", () => {
    const deployments = steps.filter((step) => step.includes("cdk deploy"));
    expect(deployments).toEqual(["npx cdk deploy -c cluster=NAME"]);
    expect(steps.findIndex((step) => step.includes("Value=evict"))).toBeGreaterThan(
      steps.findIndex((step) => step.includes("cdk deploy")),
    );
  });

  it("is said by `init` from the step after its own", () => {
    const told = [...stepsByCdk("NAME"), ...lastSteps("NAME", "GROUP")];
    expect(told.flatMap(({ commands }) => commands)).toEqual(steps.slice(firstStep - 1));
  });

  it("is the same in the README", () => {
    const own = numbered(read("README.md"));
    for (const [at, step] of steps.entries()) expect(own).toContainEqual([at + 1, step]);
    expect(Math.max(...own.map(([number]) => number))).toBe(steps.length);
  });

  it("is the same on the page about the deployment", () => {
    const [, deploy = ""] = /```sh\n([\s\S]*?)```/.exec(read("docs/deploy.md")) ?? [];
    expect(deploy.trim().split("\n")).toEqual(steps.slice(3, 6));
  });

  it.each(migrations)("has the same steps, with the same numbers, in %s", (path) => {
    const page = numbered(read(path));
    for (const [at, step] of steps.entries())
      if (at >= 3) expect(page).toContainEqual([at + 1, step]);
    const first = page.findIndex(([, command]) => command.includes("Value=evict"));
    expect(page.findIndex(([, command]) => command.includes("cdk deploy"))).toBeLessThan(first);
  });
});
