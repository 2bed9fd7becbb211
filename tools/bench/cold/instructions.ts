/**
 * Counts the instructions of the function's import against those of Node's own start, and fails when they are too many:
 * `npm run bench:instructions -- --help`. Both counts are of this machine and this Node, so their ratio holds on others.
 */
import { spawnSync } from "node:child_process";
import { Command, InvalidArgumentError } from "commander";
import { environmentForImport, handler } from "./import-figures.ts";

const million = 1e6;

function timesOf(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text) && Number(text) > 0) return Number(text);
  throw new InvalidArgumentError("It has to be a number of Node's own starts, such as 0.6.");
}

const { most } = new Command("bench:instructions")
  .description(
    "Counts by valgrind the instructions of the import of the node function, and of the start of Node with TLS and HTTP/2.",
  )
  .option("--most <times>", "fail when the import takes more of Node's starts", timesOf)
  .parse()
  .opts<{ most?: number }>();

// One thread and fixed seeds make the counts of two runs the same to a thousandth.
const node = [process.execPath, "--single-threaded", "--hash-seed=1", "--random-seed=1"];
const valgrind = ["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];

/** Counts the instructions that a new process needs to load some modules. */
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

const start = instructionsOf(["node:http2", "node:https", "node:crypto"]);
const beyond = instructionsOf([handler]) - start;
const times = Math.round((100 * beyond) / start) / 100;
const inMillions = (count: number): number => Math.round(count / million);
const figures = { millions: inMillions(beyond), node: inMillions(start), times };
process.stdout.write(`${JSON.stringify(figures)}\n`);

if (most !== undefined && beyond > most * start) {
  process.stderr.write(
    `The import of ${handler} takes ${times} times the instructions of Node's own start, and may take ${most} times: load what only some notices need when they come (docs/decisions/0024-a-cold-start-loads-what-a-drain-needs.md).\n`,
  );
  process.exitCode = 1;
}
