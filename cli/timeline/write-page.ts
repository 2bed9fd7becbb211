import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type PageStory, pageOf } from "../../journal/page/page.ts";
import { CommandFailure } from "../command-failure.ts";
import type { Io } from "../io.ts";

/** Writes a page into the file that the user names, and says so. */
export function writePage(file: string, story: PageStory, { cwd, stderr }: Io): void {
  try {
    writeFileSync(resolve(cwd, file), pageOf(story));
    stderr.writeLine(`the page is ${file}`);
  } catch (cause) {
    const remedy = "name a file in a folder that is there, and that you may write";
    throw fileFailure(`cannot write the page ${file}`, cause, remedy);
  }
}

/** The failure to read or write a file that the user names. */
export function fileFailure(what: string, cause: unknown, remedy: string): CommandFailure {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CommandFailure(`${what}: ${why}`, remedy, { cause });
}
