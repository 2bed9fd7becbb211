import { Argument, Command } from "commander";
import { productName } from "../../lambda/base/contract.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printJson } from "../json/print-json.ts";
import { bashScript } from "./bash-script.ts";
import { commandTree } from "./command-tree.ts";
import { fishScript } from "./fish-script.ts";
import { zshScript } from "./zsh-script.ts";

// The scripts are complete in themselves: a Tab starts no Node, and nothing edits the user's files.
const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };

const isShell = (name: string): name is keyof typeof scripts => Object.hasOwn(scripts, name);

const examples = `
Examples:
  npx eks-node-lifecycle completion bash > ~/.local/share/bash-completion/completions/eks-node-lifecycle
  npx eks-node-lifecycle completion zsh > ~/.zfunc/_eks-node-lifecycle
  npx eks-node-lifecycle completion fish > ~/.config/fish/completions/eks-node-lifecycle.fish

Exit codes:
  0  written
  2  wrong usage`;

/** The command that writes the script by which a shell completes the command line. */
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
