import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declared, parameters } from "../../generate/template/parameters.ts";
import { templateName } from "../../generate/template/release.ts";
import { stackName } from "../../lib/stack-name.ts";

interface Block {
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, unknown>;
}

/** Reads HCL as far as the page uses it: a block, with texts, lists, maps, references and calls. Throws where it is something else. */
function readHcl(text: string): Block {
  const words = [...text.matchAll(/"[^"]*"|[\w.]+(?:\[\d+\][\w.]*)*|[{}[\]()=,]|\S/g)].map(
    ([word]) => word,
  );
  const next = (wanted = /./): string => {
    const word = words.shift() ?? "the end";
    if (!wanted.test(word)) throw new Error(`expected ${wanted}, found ${word}`);
    return word;
  };
  const until = (end: string, item: () => void) => {
    while (words[0] !== end) item();
    next();
  };
  const itemsUntil = (end: string): readonly unknown[] => {
    const items: unknown[] = [];
    until(end, () => {
      items.push(value());
      if (words[0] === ",") next();
    });
    return items;
  };
  const called = (word: string): unknown => {
    if (words[0] !== "(") return { reference: word };
    next();
    return { call: word, items: itemsUntil(")") };
  };
  const value = (): unknown => {
    const word = next(/^(?:"|[\w[{])/);
    if (word.startsWith('"')) return word.slice(1, -1);
    if (word === "{") return attributes();
    return word === "[" ? itemsUntil("]") : called(word);
  };
  const attributes = (): ReadonlyMap<string, unknown> => {
    const all = new Map<string, unknown>();
    until("}", () => {
      const name = next(/^\w+$/);
      if (all.has(name)) throw new Error(`${name} is there twice`);
      next(/^=$/);
      all.set(name, value());
    });
    return all;
  };
  const labels = [next(/^\w+$/)];
  while (words[0] !== "{") labels.push(next(/^"\w+"$/).slice(1, -1));
  next();
  const block = { labels, attributes: attributes() };
  if (words.length > 0) throw new Error(`${words[0]} is after the end`);
  return block;
}

const page = readFileSync("docs/terraform.md", "utf8");
const [, hcl = ""] = /```hcl\n([\s\S]*?)```/.exec(page) ?? [];

describe("docs/terraform.md", () => {
  const { labels, attributes } = readHcl(hcl);
  const given = attributes.get("parameters");
  const all = Object.values(parameters).flat();

  it("deploys the template by a resource of some fifteen lines", () => {
    expect(labels).toEqual(["resource", "aws_cloudformation_stack", "node_lifecycle"]);
    expect(hcl.trim().split("\n").length).toBeLessThanOrEqual(16);
    expect(attributes.get("name")).toBe(stackName("demo"));
    expect(attributes.get("template_url")).toMatch(new RegExp(`/${templateName}$`));
    expect(attributes.get("capabilities")).toEqual(["CAPABILITY_IAM"]);
    expect(attributes.get("template_url")).toContain("//platform-eu-west-1.");
    expect(given instanceof Map && given.get("CodeBucketPrefix")).toBe("platform");
  });

  it("gives each parameter that has to be given, and none that there is not", () => {
    const names = given instanceof Map ? [...given.keys()] : [];
    const needed = all.filter((one) => !("Default" in declared(one))).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(needed));
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    for (const name of needed) expect(page).toContain(`\`${name}\``);
  });

  it.each([
    'resource "a" "b" { c = }',
    'resource "a" "b" { c = "d" c = "e" }',
    'resource "a" "b" { c "d" }',
    'resource "a" "b" { c = "d" } }',
  ])("would not be read as %s", (wrong) => {
    expect(() => readHcl(wrong)).toThrow();
  });
});
