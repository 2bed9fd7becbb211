import { readdirSync, readFileSync, statSync } from "node:fs";
import { describe, expect, it } from "vitest";

const folder = "docs/pictures";
const pictures = readdirSync(folder).map((name) => `${folder}/${name}`);
const readme = readFileSync("README.md", "utf8");

describe("a picture of the documents", () => {
  it.each(pictures)("is shown in the README with words for those who do not see it: %s", (path) => {
    const [, words = ""] = new RegExp(`!\\[([^\\]]+)\\]\\(${path}\\)`).exec(readme) ?? [];

    expect(words.length).toBeGreaterThan(60);
  });

  it.each(pictures)("takes at most 150 kB: %s", (path) => {
    expect(statSync(path).size).toBeLessThanOrEqual(150_000);
  });

  it("is drawn for day and night, and fetches nothing, where it is an SVG", () => {
    const drawn = pictures
      .filter((path) => path.endsWith(".svg"))
      .map((path) => readFileSync(path, "utf8"));

    expect(drawn).toHaveLength(2);
    for (const svg of drawn) {
      expect(svg).toMatch(/<title id="title">.+<desc id="about">.+prefers-color-scheme:dark/s);
      expect(svg.replaceAll('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(
        /https?:|href|@import/,
      );
      // Only browsers know variables; all else would draw in black.
      expect(svg).not.toContain("var(");
    }
  });
});
