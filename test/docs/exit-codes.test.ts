import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { documentedCommands, helpOf } from "../../tools/generate/cli-reference.ts";
import { withExitCodes } from "../../tools/generate/exit-codes.ts";

const output = readFileSync("docs/output.md", "utf8");

it("has the exit codes of every command, as its help has them", () => {
  expect(withExitCodes(output)).toBe(output);
  const without = documentedCommands().filter(
    (command) => !/\nExit codes:\n {2}0 {2}\S.*\n[\s\S]* {2}2 {2}wrong usage/.test(helpOf(command)),
  );
  expect(without.map((command) => command.name())).toEqual([]);
});
