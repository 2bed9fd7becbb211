import { statSync } from "node:fs";
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";

/** Reads whole numbers, such as `30,100,250`. */
export function numbers(text: string): readonly number[] {
  const all = text.split(",").map(Number);
  if (all.every((count) => Number.isInteger(count) && count > 0)) return all;
  throw new InvalidArgumentError("expected whole numbers such as 30,100,250");
}

/** Reads a whole number. */
export function count(text: string): number {
  const [one = 0, ...more] = numbers(text);
  if (more.length === 0) return one;
  throw new InvalidArgumentError("expected a whole number such as 3");
}

/** Reads shares of a core, such as `all,0.29`. */
export const sharesIn = (text: string): readonly (number | "all")[] =>
  text.split(",").map((share) => (share === "all" ? share : Number(share)));

/** Reads the path of a program. */
function programIn(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() && (found.mode & 0o111) !== 0) return resolve(path);
  throw new InvalidArgumentError("expected an executable file");
}

/** The option that names the binary of AWS Node Termination Handler. */
export const handlerOption = [
  "--node-termination-handler <binary>",
  "also measure AWS Node Termination Handler; takes root",
  programIn,
] as const;
