import { readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { unwrapped } from "../../../tools/lint/wrapped.ts";

const page = unwrapped(readFileSync("docs/verify.md", "utf8"));

/** Those of some actions of AWS that docs/verify.md does not name in its points about rights that begin so. */
export function unnamed(asked: Iterable<string>, ...points: readonly string[]): readonly string[] {
  const own = page.split("\n").filter((line) => points.some((one) => line.startsWith(`* ${one}`)));
  // A service stands before the first of its actions alone.
  const named = own.join().match(/(?<=[`:])[A-Z]\w+\*?(?=`)/g) ?? [];
  const isNamed = (action: string) =>
    named.some((one) => matchesGlob(action.replace(/.*:/, ""), one));
  return [...asked].filter((action) => !isNamed(action));
}
