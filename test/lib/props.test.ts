import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

interface Member {
  readonly name: string;
  readonly comment: string;
}

/** The optional members of the types that a source declares, with the comments above them. */
const optionalMembers = (source: string): readonly Member[] =>
  [...source.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)?\n {2}readonly ("?[\w-]+"?)\?:/g)].map(
    ([, comment = "", name = ""]) => ({ name, comment }),
  );

const withoutDefault = (source: string): readonly string[] =>
  optionalMembers(source)
    .filter(({ comment }) => !/@default \S/.test(comment))
    .map(({ name }) => name);

describe("the types of the constructs", () => {
  const sources = globSync("lib/**/*.ts").map((path) => readFileSync(path, "utf8"));

  it("say of each optional prop what it is by default", () => {
    expect(sources.flatMap(optionalMembers).length).toBeGreaterThan(25);
    expect(sources.flatMap(withoutDefault)).toEqual([]);
  });

  it.each([
    "interface P {\n  readonly a?: string;\n}",
    "interface P {\n  /** What it is. */\n  readonly a?: string;\n}",
    "interface P {\n  /** What it is. @default 1 */\n  readonly b: string;\n  readonly a?: string;\n}",
  ])("fail their check without a default: %j", (source) => {
    expect(withoutDefault(source)).toEqual(["a"]);
  });
});
