import type { Command, Option } from "commander";
import { upgradeVerbs } from "../upgrade/upgrade-command.ts";

/** An option as a shell completes it. */
export interface OptionWords {
  /** Its names, such as `--json` and `-h`. */
  readonly names: readonly string[];
  readonly description: string;
  /** What follows it: nothing, one of some words, or a text that nobody can list. */
  readonly value: "none" | "any" | readonly string[];
}

/** A command as a shell completes it. */
export interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OptionWords[];
  /** The words that its first argument may be; empty where nobody can list any. */
  readonly choices: readonly string[];
}

/** Reads the commands of a program as commander knows them, so that completion and commands never differ. */
export const commandTree = (program: Command): readonly CommandWords[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.summary() || command.description(),
    options: [...command.options.map(wordsOf), help],
    choices: firstWords[command.name()] ?? command.registeredArguments[0]?.argChoices ?? [],
  }));

/** What may stand first behind commands that take other words there, too. */
const firstWords: Readonly<Record<string, readonly string[]>> = { upgrade: upgradeVerbs };

const help: OptionWords = {
  names: ["--help"],
  description: "display help for command",
  value: "none",
};

const wordsOf = ({ long, short, description, required, argChoices }: Option): OptionWords => ({
  names: [short, long].filter((name) => name !== undefined).filter((name) => name !== null),
  description,
  value: required ? (argChoices ?? "any") : "none",
});

/** The name of a shell's function that completes a program. */
export const functionName = (program: string): string => `_${program.replaceAll("-", "_")}`;
