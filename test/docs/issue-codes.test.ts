import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { issueCodes } from "../../lambda/upgrade/issues.ts";

/** The codes in the first column of the table under the heading "Errors". */
function documentedCodes(page: string): readonly string[] {
  const [, section = ""] = page.split("\n## Errors\n");
  const [table = ""] = section.split("\n## ");
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = ""]) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, code = ""]) => code));
}

describe("the errors of an upgrade", () => {
  it("have one row each in docs/upgrade.md, and no row has another code", () => {
    const page = readFileSync("docs/upgrade.md", "utf8");

    expect(documentedCodes(page).toSorted()).toEqual([...issueCodes].toSorted());
  });
});
