import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { firstStep, lastSteps, stepsByCdk } from "../../cli/init/next-steps.ts";
import { unwrapped } from "../../tools/lint/wrapped.ts";
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

/** The number of steps of each way on the page that compares them, by the text of its link. */
const ways = new Map(
  readMarkdown(read("docs/which-way.md"))
    .tables.flat()
    .map(({ Way: way = "", Steps: count = "" }) => [
      /\[(.*?)\]/.exec(way)?.[1] ?? "",
      Number(count),
    ]),
);

/** The number of the last step in a section of a page. */
const lastStepOf = (path: string, title: string): number =>
  Math.max(
    ...readMarkdown(read(path))
      .sections.filter((section) => section.title === title)
      .flatMap(({ body }) => [...body.matchAll(/^(\d)\. /gm)].map(([, number]) => Number(number))),
  );

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

  it("has the same number wherever a page counts its steps", () => {
    const counted = ["README.md", ...globSync("docs/**/*.md")].flatMap((path) =>
      [
        ...unwrapped(read(path)).matchAll(/\b(three|four|five|six|seven|eight|nine|ten) steps/gi),
      ].map(([, number = ""]) => number.toLowerCase()),
    );
    expect(counted.length).toBeGreaterThan(7);
    expect(new Set(counted)).toEqual(new Set(["eight"]));
    expect(ways.get("A file and CDK")).toBe(steps.length);
  });

  it("is the same on the page about the deployment", () => {
    const [, deploy = ""] = /```sh\n([\s\S]*?)```/.exec(read("docs/deploy.md")) ?? [];
    expect(deploy.trim().split("\n")).toEqual(steps.slice(3, 6));
  });

  it("has a step less by a template, as `init` counts them", () => {
    const told = firstStep + lastSteps("NAME", "GROUP").length;
    expect(lastStepOf("docs/other-ways.md", "Fill it in and deploy it")).toBe(told);
    for (const way of ["One template", "One template by Terraform"])
      expect(ways.get(way)).toBe(told);
  });

  it.each([
    ["An app of your own", "docs/other-ways.md", "In an app of your own"],
    ["One template by StackSets", "docs/many-clusters.md", "By StackSets"],
  ])("is counted on its page: %s", (way, path, title) => {
    expect(ways.get(way)).toBe(lastStepOf(path, title));
  });

  it.each(migrations)("has the same steps, with the same numbers, in %s", (path) => {
    const page = numbered(read(path));
    for (const [at, step] of steps.entries())
      if (at >= 3) expect(page).toContainEqual([at + 1, step]);
    const first = page.findIndex(([, command]) => command.includes("Value=evict"));
    expect(page.findIndex(([, command]) => command.includes("cdk deploy"))).toBeLessThan(first);
  });
});
