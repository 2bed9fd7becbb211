import { globSync, readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { programOf } from "../../cli/program.ts";
import { capturedIo } from "../cli/captured-io.ts";

/** A command of this program inside a sentence. */
interface InlineCommand {
  readonly path: string;
  readonly text: string;
}

const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md").toSorted()];

const names = programOf(capturedIo(), () => undefined).commands.map((command) => command.name());
const shown = new RegExp(
  `^(?:npx )?(?:eks-node-lifecycle )?(?:${names.join("|")}) (?:[a-z]+ )?[A-Z-]`,
);

/** The commands with an argument or option; the name of a command alone only mentions it. */
const inlineCommands: readonly InlineCommand[] = pages.flatMap((path) =>
  [
    ...readFileSync(path, "utf8")
      .replaceAll(/^```[\s\S]*?^```/gm, "")
      .matchAll(/`([^`\n]+)`/g),
  ]
    .map(([, text = ""]) => text)
    .filter((text) => shown.test(text) && !text.endsWith("--help"))
    .map((text) => ({ path, text })),
);

const lacks = new Set(["commander.missingArgument", "commander.missingMandatoryOptionValue"]);

/** The program, whose commands parse their arguments and do nothing. */
function parserOf(): Command {
  const program = programOf(capturedIo(), () => undefined);
  for (const command of program.commands) quiet(command).action(() => undefined);
  return quiet(program);
}

const quiet = (command: Command): Command =>
  command.exitOverride().configureOutput({ writeErr: () => undefined });

/** The refusal of the program's parser; empty if it takes the command. */
function refusalOf(text: string): string {
  const words = text
    .replace(/^(?:npx )?(?:eks-node-lifecycle )?/, "")
    .replace(/ [|&>].*$/, "")
    .replace(/"\$\(output \w+Url\)"/, "https://sqs.eu-west-1.amazonaws.com/123456789012/NAME");
  try {
    parserOf().parse(words.match(/(?:"[^"]*"|\S)+/g) ?? [], { from: "user" });
    return "";
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return isMention(text) && lacks.has(error.code) ? "" : error.message;
  }
}

/** A sentence that names an option alone, such as `drain --dry-run`, leaves out what the command works on. */
const isMention = (text: string): boolean =>
  !/ [A-Z]/.test(text) && !text.includes("eks-node-lifecycle");

describe("a command inside a sentence of a page", () => {
  it.each(inlineCommands)("is one that the program takes: $path: $text", ({ text }) => {
    expect(refusalOf(text)).toBe("");
  });

  it.each(["status --nope x", "nope x", "verify NAME", "drain --force sometimes NODE"])(
    "is refused if the program does not take it: %s",
    (text) => {
      expect(refusalOf(`eks-node-lifecycle ${text}`)).not.toBe("");
    },
  );
});
