import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type PageStory, pageOf } from "../../journal/page/page.ts";
import type { Io } from "../io.ts";
import { fileFailure } from "./file-failure.ts";

/** Writes a page into the file that the user named, and says so. */
export function writePage(file: string, story: PageStory, { cwd, stderr }: Io): void {
  try {
    writeFileSync(resolve(cwd, file), pageOf(story));
    stderr.writeLine(`the page is ${file}`);
  } catch (cause) {
    throw fileFailure(`cannot write the page ${file}`, cause);
  }
}
