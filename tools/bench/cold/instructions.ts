/** Counts the instructions of the function's import, and fails when they are too many: `npm run bench:instructions -- --help`. */
import { spawnSync } from "node:child_process";
import { Command, InvalidArgumentError } from "commander";
import { environmentForImport, handler } from "./import-figures.ts";

const million = 1e6;

function millionsOf(text: string): number {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It has to be a number of millions, such as 150.");
}

const { most } = new Command("bench:instructions")
  .description(
    "Counts the instructions that the import of the node function takes beyond those of Node with TLS and HTTP/2, by valgrind.",
  )
  .option("--most <millions>", "fail when there are more", millionsOf)
  .parse()
  .opts<{ most?: number }>();

// One thread and fixed seeds make the counts of two runs the same to a thousandth.
const node = [process.execPath, "--single-threaded", "--hash-seed=1", "--random-seed=1"];
const valgrind = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];

/** How many instructions a new process needs to load some modules. */
function instructionsOf(modules: readonly string[]): number {
  const loads = modules.map((name) => `require(${JSON.stringify(name)});`).join(" ");
  const command = [...valgrind, "--log-fd=1", ...node, "-e", `${loads} process.exit();`];
  const { PATH = "" } = process.env;
  const env = { ...environmentForImport, PATH };
  const {
    stdout: told,
    stderr,
    error,
    status,
  } = spawnSync("valgrind", command, { env, encoding: "utf8" });
  if (error !== undefined) throw new Error(`valgrind did not start; is it installed? ${error}`);
  if (status !== 0) throw new Error(`the process under valgrind ended with ${status}:\n${stderr}`);
  const count = /I\s+refs:\s+([\d,]+)/.exec(told)?.[1];
  if (count === undefined) throw new Error(`valgrind told no count of instructions:\n${told}`);
  return Number(count.replaceAll(",", ""));
}

const alone = instructionsOf(["node:http2", "node:https", "node:crypto"]);
const whole = instructionsOf([handler]);
const millions = Math.round((whole - alone) / (million / 10)) / 10;
process.stdout.write(`${JSON.stringify({ millions, node: Math.round(alone / million) })}\n`);

if (most !== undefined && millions > most) {
  process.stderr.write(
    `The import of ${handler} takes ${millions} million instructions, and may take ${most} million: import what only some notices need when they come (CONTRIBUTING.md).\n`,
  );
  process.exitCode = 1;
}
