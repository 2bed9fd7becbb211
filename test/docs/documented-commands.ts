import { globSync, readFileSync } from "node:fs";
import { readMarkdown } from "./read-markdown.ts";
import { unrunCommands } from "./unrun-commands.ts";

/** A command in a shell block of README.md or of a page of docs. */
export interface DocumentedCommand {
  readonly path: string;
  /** As the page has it, such as `npx eks-node-lifecycle status NAME`. */
  readonly text: string;
  /** Its words, without quotes. */
  readonly words: readonly string[];
}

/** The commands that the pages show, without those that nothing can run and that `unrunCommands` lists. */
export const documentedCommands = (): readonly DocumentedCommand[] =>
  shownCommands().filter(({ text }) => !isUnrun(text));

/** All commands that the pages show, each part of a pipe or a list for itself. */
export const shownCommands = (): readonly DocumentedCommand[] =>
  ["README.md", ...globSync("docs/**/*.md").toSorted()].flatMap((path) =>
    readMarkdown(readFileSync(path, "utf8"))
      .commands.flatMap(partsOf)
      .map((text) => ({ path, text, words: wordsOf(text) })),
  );

/** The commands of a line; a loop or a function of the shell stays whole. */
const partsOf = (line: string): readonly string[] =>
  line.includes(";")
    ? [line]
    : [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^"'|&])+/g)].map(([part]) => part.trim());

/** Whether the list of commands that nothing runs has this one, or the beginning of it. */
const isUnrun = (text: string): boolean =>
  Object.keys(unrunCommands).some((start) => text === start || text.startsWith(`${start} `));

const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ""));

/** The arguments of a command that calls this project's program, in whichever way; none if it calls another one. */
export function ownArguments({ words }: DocumentedCommand): readonly string[] {
  const [runner = "", program = "", ...rest] = words;
  if (runner === "npx" && program === "eks-node-lifecycle") return rest;
  if (runner === "node" && program === "bin/eks-node-lifecycle.js") return rest;
  const [script = "", dashes, ...args] = rest;
  return runner === "npm" && program === "run" && dashes === "--" ? [script, ...args] : [];
}
