import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { lineWidth, longCells, unwrapped, wrapped } from "../tools/lint/wrapped.ts";

const generated = "docs/cli.md";
const documents = globSync(["*.md", "docs/**/*.md"], { exclude: [generated] });

const sentence = "A drain waits for a budget. ".repeat(8).trim();
const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("a document", () => {
  it("has no line of prose over 120 characters, once `npm run format` has wrapped it", () => {
    expect(documents.length).toBeGreaterThan(60);
    const textOf = (path: string) => readFileSync(path, "utf8");
    expect(documents.filter((path) => wrapped(textOf(path)) !== textOf(path))).toEqual([]);
  });
});

it("no cell of a table in a document has more than 400 characters", () => {
  const long = documents.flatMap((path) =>
    longCells(readFileSync(path, "utf8")).map((cell) => `${path}: ${cell.slice(0, 60)}`),
  );
  expect(long).toEqual([]);
  expect(longCells(`| a | ${"x".repeat(401)} |\n| ${"y".repeat(400)} \\| |`)).toHaveLength(2);
});

describe("the wrapping of a document", () => {
  it("breaks a long line, and loses no word", () => {
    const text = wrapped(`# Title\n\n${sentence}\n`);
    expect(widest(text)).toBeLessThanOrEqual(lineWidth);
    expect(text.split(/\s+/)).toEqual(`# Title\n\n${sentence}\n`.split(/\s+/));
    expect(wrapped(text)).toBe(text);
  });

  it("goes on below the text of an item of a list", () => {
    for (const lead of ["- ", "10. ", "  - "]) {
      const [first = "", ...rest] = wrapped(`${lead}${sentence}`).split("\n");
      expect(first.startsWith(lead)).toBe(true);
      const indented = new RegExp(`^ {${lead.length}}\\S`);
      expect(rest.filter((line) => !indented.test(line))).toEqual([]);
      expect(rest.length).toBeGreaterThan(0);
    }
  });

  it.each([
    ["a table", `| Pod | Why |\n| --- | --- |\n| web | ${sentence} |`],
    ["code", `\`\`\`sh\n${sentence}\n\`\`\``],
    ["a heading", `## ${sentence}`],
    ["a remark", `<!-- ${sentence} -->`],
    ["a paragraph whose lines are short", "One line.\nAnother line."],
    ["what cannot be broken", `\`${sentence}\``],
  ])("leaves %s as it is", (_, text) => {
    expect(wrapped(text)).toBe(text);
  });

  it("puts code onto one line that stands on two", () => {
    expect(wrapped("This is `kubectl\ndrain NODE`.")).toBe("This is `kubectl drain NODE`.");
  });

  it.each(["- a dash", "1. a number", "# a cross", "| a bar"])(
    "begins no line with what Markdown reads as something else: %s",
    (mark) => {
      const text = wrapped(`${"word ".repeat(23)}word ${mark} and more`);
      expect(text.split("\n").filter((line) => line.startsWith(mark.slice(0, 2)))).toEqual([]);
      expect(text).toContain("\n");
    },
  );

  it("is undone by one line for each paragraph", () => {
    const text = `# Title\n\n- ${sentence}\n  - ${sentence}\n\n${sentence}\n\n| a | b |\n`;
    expect(unwrapped(wrapped(text))).toBe(text);
  });

  it("leaves code and a short link on one line", () => {
    for (const whole of ["`kubectl drain NODE --force`", "[the page of drains](drains.md)"]) {
      for (let at = 100; at < 120; at += 1)
        expect(wrapped(`${"x".repeat(at)} ${whole} and then more of it`)).toContain(whole);
    }
  });
});
