import { readFileSync } from "node:fs";

/** What the page of the template says it differs in from a cluster's file: the first column of its table. */
export function toldDifferences(): readonly string[] {
  const page = readFileSync("docs/other-ways.md", "utf8");
  const [, section = ""] = page.split("\n### Where form and file differ\n");
  const [table = ""] = section.split("\n## ");
  return [...table.matchAll(/^\| ([^|]+?) \|/gm)].flatMap(([, cell = ""]) =>
    /^(?:---|What)$/.test(cell) ? [] : [cell],
  );
}
