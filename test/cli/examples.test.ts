import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cliReference, documentedCommands } from "../../generate/cli-reference.ts";

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

const program =
  /^ {2}(?:\w.* \| )?(?:(?:npx )?eks-node-lifecycle|npm run ([\w-]+)(?: --silent)? --) (.*)$/gm;

/** The arguments of each example in the help of a command, without what a shell does with the output. */
function examplesOf(command: ReturnType<typeof documentedCommands>[number]) {
  return [...helpOf(command).matchAll(program)].map(([, script, rest = ""]) => {
    const [words = ""] = rest.split(/ [|>]/);
    const args = words.trim().split(" ");
    return script === undefined ? args : [script, ...args];
  });
}

it("docs/cli.md is what `npm run generate` writes", () => {
  expect(readFileSync("docs/cli.md", "utf8")).toBe(cliReference());
});

describe.each(documentedCommands().map((command) => [command.name(), command] as const))(
  "the help of %s",
  (name, command) => {
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
        fresh
          ?.exitOverride()
          .configureOutput({ writeErr: () => undefined })
          .action((...given: unknown[]) => void asked.push(given));

        await fresh?.parseAsync(args, { from: "user" });

        expect(asked).toHaveLength(1);
      },
    );
  },
);
