import { Argument, Command, type Option } from "commander";
import { productName } from "../../lambda/base/contract.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";

// The scripts contain all words, so that a Tab starts no Node process.
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (name: string): name is keyof typeof scripts => Object.hasOwn(scripts, name);

const examples = `
A shell completes the words behind the name of a program, which is not npx. Where the program is not on the PATH, give it its
name: eks-node-lifecycle() { npx eks-node-lifecycle "$@"; } in the start-up file of bash or zsh, and in that of fish
function eks-node-lifecycle; npx eks-node-lifecycle $argv; end

Examples:
  npx eks-node-lifecycle completion bash > ~/.local/share/bash-completion/completions/eks-node-lifecycle
  npx eks-node-lifecycle completion zsh > ~/.zfunc/_eks-node-lifecycle
  npx eks-node-lifecycle completion fish > ~/.config/fish/completions/eks-node-lifecycle.fish

Exit codes:
  0  written
  2  wrong usage`;

/** The command that prints the completion script of a shell. */
export const completionCommand = ({ stdout }: Io, ended: (code: ExitCode) => void): Command =>
  new Command("completion")
    .description("write the script by which a shell completes commands and options")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(scripts)))
    .option("--json", "write the script as one JSON object")
    .addHelpText("after", examples)
    .action((shell: string, { json }: { readonly json?: boolean }, command: Command) => {
      if (!isShell(shell)) return;
      const text = scripts[shell](productName, commandTree(command.parent ?? command));
      if (json === true) printJson(stdout, { kind: "text", text });
      else stdout.write(text);
      ended(exitCodes.done);
    });

interface CompletedOption {
  /** Its names, such as `--json` and `-h`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Its value: none, one of some words, or any text. */
  readonly value: "none" | "any" | readonly string[];
}

/** A command as a shell completes it. */
interface CommandWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CompletedOption[];
  /** The words that its first argument may be; empty if it takes any text. */
  readonly choices: readonly string[];
}

/** Reads the commands from commander, so that the completion always matches them. */
const commandTree = (program: Command): readonly CommandWords[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.summary() || command.description(),
    options: [...command.options.map(wordsOf), help],
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));

const help: CompletedOption = {
  names: ["--help"],
  description: "display help for command",
  value: "none",
};

const wordsOf = ({ long, short, description, required, argChoices }: Option): CompletedOption => ({
  names: [short, long].filter((name) => name !== undefined).filter((name) => name !== null),
  description,
  value: required ? (argChoices ?? "any") : "none",
});

const functionName = (program: string): string => `_${program.replaceAll("-", "_")}`;

/** The script for bash. Where it has no words, bash completes file names. */
function bashScript(program: string, commands: readonly CommandWords[]): string {
  const name = functionName(program);
  return `# bash completion of ${program}
${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words= one
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map((one) => one.name).join(" ")} --help --version"
  else
    case "\${COMP_WORDS[1]} $before" in
${commands.flatMap(valueCases).join("\n")}
    *)
      case "\${COMP_WORDS[1]}" in
${commands.map(commandCase).join("\n")}
      esac
      ;;
    esac
  fi
  COMPREPLY=()
  while IFS= read -r one; do COMPREPLY+=("$one"); done < <(compgen -W "$words" -- "$word")
}
complete -o default -F ${name} ${program}
`;
}

const valueCases = ({ name, options }: CommandWords): readonly string[] =>
  options
    .filter(({ value }) => value !== "none")
    .map(({ names, value }) => {
      const patterns = names.map((option) => `"${name} ${option}"`).join(" | ");
      return `    ${patterns}) words="${typeof value === "string" ? "" : value.join(" ")}" ;;`;
    });

const commandCase = ({ name, options, choices }: CommandWords): string =>
  `      ${name}) words="${[...choices, ...options.flatMap(longNames)].join(" ")}" ;;`;

const longNames = ({ names }: CompletedOption): readonly string[] =>
  names.filter((name) => name.startsWith("--"));

function zshScript(program: string, commands: readonly CommandWords[]): string {
  const name = functionName(program);
  return `#compdef ${program}
${name}() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map((one) => `      ${zshQuoted(`${one.name}:${one.description}`)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${commands.map(zshCase).join("\n")}
  esac
}
compdef ${name} ${program}
`;
}

const zshCase = ({ name, options, choices }: CommandWords): string => {
  const argument = choices.length === 0 ? "*:file:_files" : `1:value:(${choices.join(" ")})`;
  const specs = [...options.flatMap(specsOf), argument].map(zshQuoted);
  return `    ${name}) _arguments ${specs.join(" ")} ;;`;
};

const specsOf = ({ names, description, value }: CompletedOption): readonly string[] =>
  names.map((name) => `${name}[${description.replace(/[[\]:]/g, " ")}]${valueSpec(value)}`);

function valueSpec(value: CompletedOption["value"]): string {
  if (value === "none") return "";
  return value === "any" ? ":value:_files" : `:value:(${value.join(" ")})`;
}

const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function fishScript(program: string, commands: readonly CommandWords[]): string {
  return `# fish completion of ${program}
${commands.flatMap((one) => commandLines(program, one)).join("\n")}
`;
}

function commandLines(program: string, { name, description, options, choices }: CommandWords) {
  const inCommand = `complete -c ${program} -n '__fish_seen_subcommand_from ${name}'`;
  const words = choices.length === 0 ? [] : [`${inCommand} -xa ${fishQuoted(choices.join(" "))}`];
  return [
    `complete -c ${program} -n __fish_use_subcommand -xa ${name} -d ${fishQuoted(description)}`,
    ...words,
    ...options.map((option) => `${inCommand} ${optionWords(option)}`),
  ];
}

function optionWords({ names, description, value }: CompletedOption): string {
  const flags = names.map((name) =>
    name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
  );
  const values =
    typeof value === "string"
      ? { none: "", any: " -r" }[value]
      : ` -xa ${fishQuoted(value.join(" "))}`;
  return `${flags.join(" ")}${values} -d ${fishQuoted(description)}`;
}

const fishQuoted = (text: string): string =>
  `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
