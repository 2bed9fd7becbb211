import type { Argument, Command, Option } from "commander";

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
  /** The words that its first argument may be; empty if that is any text, such as a file. */
  readonly choices: readonly string[];
}

/** Reads the commands of a program as commander knows them, so that completion and commands never differ. */
export const commandTree = (program: Command): readonly CommandWords[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.summary() || command.description(),
    options: [...command.options.map(wordsOf), help],
    choices: choicesOf(command.registeredArguments[0]),
  }));

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

const choicesOf = (argument: Argument | undefined): readonly string[] => argument?.argChoices ?? [];

/** The name of a shell's function that completes a program. */
export const functionName = (program: string): string => `_${program.replaceAll("-", "_")}`;
