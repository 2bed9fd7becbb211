import { type CommandWords, functionName, type OptionWords } from "./command-tree.ts";

/** The script by which zsh completes a program. */
export function zshScript(program: string, commands: readonly CommandWords[]): string {
  const name = functionName(program);
  return `#compdef ${program}
${name}() {
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${commands.map((one) => `      ${quoted(`${one.name}:${one.description}`)}`).join("\n")}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT -= 1 ))
  case $command in
${commands.map(commandCase).join("\n")}
  esac
}
compdef ${name} ${program}
`;
}

const commandCase = ({ name, options, choices }: CommandWords): string => {
  const argument = choices.length === 0 ? "*:file:_files" : `1:value:(${choices.join(" ")})`;
  const specs = [...options.flatMap(specsOf), argument].map(quoted);
  return `    ${name}) _arguments ${specs.join(" ")} ;;`;
};

const specsOf = ({ names, description, value }: OptionWords): readonly string[] =>
  names.map((name) => `${name}[${description.replace(/[[\]:]/g, " ")}]${valueSpec(value)}`);

function valueSpec(value: OptionWords["value"]): string {
  if (value === "none") return "";
  return value === "any" ? ":value:_files" : `:value:(${value.join(" ")})`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
