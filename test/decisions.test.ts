import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { unwrapped } from "../tools/lint/wrapped.ts";

/** A figure of the code, as a decision writes it: `leaseDuration` (20 s) of `lambda/drain/eviction-lease.ts`. */
interface Figure {
  readonly name: string;
  readonly value: string;
  /** Empty where the decision names no file. */
  readonly file: string;
}

const figure = /`(\w+)` \((\d[\d,.]*(?: (?:s|minutes?|hours?|days?))?)\)(?: of `([\w/.-]+\.ts)`)?/g;

const figuresIn = (text: string): readonly Figure[] =>
  [...unwrapped(text).matchAll(figure)].map(([, name = "", value = "", file = ""]) => ({
    name,
    value,
    file,
  }));

const units = { seconds: "s", minutes: "minutes", hours: "hours", days: "days" } as const;
const one = (text: string): string => text.replace(/^(1 \w+?)s?$/, "$1").replaceAll(/[,_]/g, "");

/** What a constant is in a file, in the words of the decisions; nothing where it is not there. */
function valuesOf(name: string, text: string): readonly string[] {
  const declared = new RegExp(
    `\\bconst ${name}(?:: \\w+)? = (?:(seconds|minutes|hours|days)\\()?([\\d_.]+)\\)?;`,
    "g",
  );
  return [...text.matchAll(declared)].map(([, unit, number = ""]) =>
    one(unit === undefined ? number : `${number} ${units[unit as keyof typeof units]}`),
  );
}

const code = globSync("{lambda,lib}/**/*.ts").map(
  (path) => [path, readFileSync(path, "utf8")] as const,
);

/** What is wrong with the figures of a decision. */
const wrongFigures = (text: string): readonly string[] =>
  figuresIn(text).flatMap(({ name, value, file }) => {
    const found = code
      .filter(([path]) => file === "" || path === file)
      .flatMap(([, source]) => valuesOf(name, source));
    return found.includes(one(value)) ? [] : [`${name} is ${found.join(" or ")}, not ${value}`];
  });

describe("a figure in a decision that names its constant", () => {
  const decisions = globSync("docs/decisions/*.md").toSorted();

  it.each(decisions)("is that of the code: %s", (path) => {
    expect(wrongFigures(readFileSync(path, "utf8"))).toEqual([]);
  });

  it("is found in many decisions", () => {
    const all = decisions.flatMap((path) => figuresIn(readFileSync(path, "utf8")));
    expect(all.length).toBeGreaterThan(20);
  });

  it.each([
    [
      "`leaseDuration` (30 s) of `lambda/drain/eviction-lease.ts`",
      "leaseDuration is 20 s, not 30 s",
    ],
    ["`leaseDuration` (20 minutes)", "leaseDuration is 20 s, not 20 minutes"],
    ["`leaseDuration` (20 s) of `lambda/drain/tiers.ts`", "leaseDuration is , not 20 s"],
    ["`turnLast` (20 s)", "turnLast is , not 20 s"],
  ])("is wrong if the code has another one: %s", (text, wrong) => {
    expect(wrongFigures(text)).toEqual([wrong]);
  });

  it("may stand on two lines", () => {
    expect(
      wrongFigures("A turn is `leaseDuration` (20\ns), and a pass `passSeconds` (50)."),
    ).toEqual([]);
  });
});

const bare =
  /\b(?:\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|thirty|sixty)[ -](?:s|seconds?|minutes?|hours?|days?)\b/g;

/** Times that the code does not choose: of Auto Scaling, of EC2, of the node monitoring agent; and what was measured. */
const ofOthers = /\b(?:48 hours|two minutes|checks every five minutes|took [\d.]+ s(?:econds)?)\b/g;

/** The times in the section Decision that stand there without their constant. */
function bareTimes(text: string): readonly string[] {
  const [, decision = ""] = /^## Decision\n([\s\S]*?)^## /m.exec(text) ?? [];
  const rest = unwrapped(decision).replaceAll(figure, "").replaceAll(ofOthers, "");
  return rest.match(bare) ?? [];
}

describe("a time that a decision decides", () => {
  it.each(globSync("docs/decisions/*.md").toSorted())("names its constant: %s", (path) => {
    expect(bareTimes(readFileSync(path, "utf8"))).toEqual([]);
  });

  it.each(["20 s", "five seconds", "10 minutes", "48 days"])("is found without one: %s", (time) => {
    expect(bareTimes(`## Decision\n\nA lease lasts ${time}.\n\n## Consequences\n`)).toEqual([time]);
  });
});
