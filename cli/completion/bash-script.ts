import { type CommandWords, functionName, type OptionWords } from "./command-tree.ts";

/** The script by which bash completes a program; where it knows no words, bash completes files. */
export function bashScript(program: string, commands: readonly CommandWords[]): string {
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

const longNames = ({ names }: OptionWords): readonly string[] =>
  names.filter((name) => name.startsWith("--"));
