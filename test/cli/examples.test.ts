import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cliReference, documentedCommands } from "../../tools/generate/cli-reference.ts";

/** The help of a command as it is printed, without breaks that only the width asks for. */
function helpOf(command: ReturnType<typeof documentedCommands>[number]): string {
  let text = "";
  command.configureOutput({
    writeOut: (more) => {
      text += more;
    },
  });
  command.outputHelp();
  return text;
}

/** The lines of the examples in a help. */
const exampleLinesOf = (help: string): readonly string[] =>
  /Examples:\n((?: {2}\S.*\n?)+)/.exec(help)?.[1]?.trimEnd().split("\n") ?? [];

/** The arguments of an example, without what a shell does around the program; none if it calls the program in another way. */
function argumentsIn(line: string): readonly string[] {
  const [, rest = ""] =
    /^ {2}(?:[A-Z_]+=\S+ |aws .* \| )?npx eks-node-lifecycle (.*)$/.exec(line) ?? [];
  const [words = ""] = rest.split(/ [|>]/);
  return words.trim().split(" ");
}

const examplesOf = (command: ReturnType<typeof documentedCommands>[number]) =>
  exampleLinesOf(helpOf(command)).map(argumentsIn);

it("docs/cli.md is what `npm run generate` writes", () => {
  expect(readFileSync("docs/cli.md", "utf8")).toBe(cliReference());
});

describe.each(documentedCommands().map((command) => [command.name(), command] as const))(
  "the help of %s",
  (name, command) => {
    it("tells its exit codes", () => {
      expect(helpOf(command)).toMatch(/^Exit codes:\n {2}0 {2}/m);
    });

    it("has examples", () => {
      expect(examplesOf(command)).not.toEqual([]);
    });

    it.each(examplesOf(command))(
      "shows an example that the command line takes: %s",
      async (...words) => {
        const [called, ...args] = words;
        expect(called).toBe(name);
        const asked: unknown[] = [];
        const fresh = documentedCommands().find((one) => one.name() === name);
        for (const one of fresh === undefined ? [] : [fresh, ...fresh.commands])
          one
            .exitOverride()
            .configureOutput({ writeErr: () => undefined })
            .action((...given: unknown[]) => void asked.push(given));

        await fresh?.parseAsync(args, { from: "user" });

        expect(asked).toHaveLength(1);
      },
    );
  },
);
