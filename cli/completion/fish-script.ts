import type { CommandWords, OptionWords } from "./command-tree.ts";

/** The script by which fish completes a program. */
export const fishScript = (program: string, commands: readonly CommandWords[]): string =>
  `# fish completion of ${program}
${commands.flatMap((one) => commandLines(program, one)).join("\n")}
`;

function commandLines(program: string, { name, description, options, choices }: CommandWords) {
  const inCommand = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
  const words = choices.length === 0 ? [] : [`${inCommand} -xa ${quoted(choices.join(" "))}`];
  return [
    `complete -c ${program} -n __fish_use_subcommand -xa ${name} -d ${quoted(description)}`,
    ...words,
    ...options.map((option) => `${inCommand} ${optionWords(option)}`),
  ];
}

function optionWords({ names, description, value }: OptionWords): string {
  const flags = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values =
    typeof value === "string" ? { none: "", any: " -r" }[value] : ` -xa ${quoted(value.join(" "))}`;
  return `${flags.join(" ")}${values} -d ${quoted(description)}`;
}

const quoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
