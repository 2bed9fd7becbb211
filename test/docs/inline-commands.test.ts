import { globSync, readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { everyCommand, programOf } from "../../cli/program.ts";
import { capturedIo } from "../cli/captured-io.ts";

/** A command of this program inside a sentence. */
interface InlineCommand {
  readonly path: string;
  readonly text: string;
}

const pages = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md").toSorted()];

const makers = await everyCommand();
const programNow = () => programOf(makers, capturedIo(), () => undefined);

const names = programNow().commands.map((command) => command.name());
const shown = new RegExp(
  `^(?:npx )?(?:eks-node-lifecycle )?(?:${names.join("|")}) (?:[a-z]+ )?[A-Z-]`,
);

// A backquote within a template has a backslash.
const told = new RegExp(
  `\\\\\`((?:(?:npx )?eks-node-lifecycle )?(?:${names.join("|")}) [^\`\\\\\n]+)|\`((?:npx )?eks-node-lifecycle (?:${names.join("|")}) [^\`\\\\\n]+)\``,
  "g",
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

/** The commands that the program tells people, in backquotes; what only a run knows is a name. */
const toldCommands: readonly InlineCommand[] = globSync("{cli,journal,lambda,lib}/**/*.ts")
  .toSorted()
  .flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(told)]
      .map(([, quoted, literal]) => quoted ?? literal ?? "")
      .filter((text) => !text.endsWith("--help"))
      .map(filledIn)
      .map((text) => ({ path, text })),
  );

/** A command with something in the place of what only a run knows. */
function filledIn(text: string): string {
  return text
    .replaceAll(/\$\{[^}]* \? [^}]*\}/g, "")
    .replaceAll(/\$\{options\}/g, "--undo")
    .replaceAll(/\$\{instance\}/g, "i-0123456789abcdef0")
    .replaceAll(/\$\{[^}]*\}/g, "NAME");
}

const lacks = new Set(["commander.missingArgument", "commander.missingMandatoryOptionValue"]);

/** The program, whose commands parse their arguments and do nothing. */
function parserOf(): Command {
  const program = programNow();
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

  it.each(toldCommands)(
    "is one that the program takes where it tells it: $path: $text",
    ({ text }) => {
      expect(refusalOf(text)).toBe("");
    },
  );

  it.each(["status --nope x", "nope x", "verify NAME", "drain --force sometimes NODE"])(
    "is refused if the program does not take it: %s",
    (text) => {
      expect(refusalOf(`eks-node-lifecycle ${text}`)).not.toBe("");
    },
  );
});
