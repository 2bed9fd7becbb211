import { existsSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { readMarkdown } from "./read-markdown.ts";

/** The links of a document to files, folders and headings of the project that do not exist. */
export function brokenLinks(path: string, text: string): readonly string[] {
  return readMarkdown(text)
    .links.filter((link) => !/^[a-z][a-z+.-]*:/i.test(link) && isBroken(path, text, link))
    .map((link) => `${path}: ${link}`);
}

function isBroken(path: string, text: string, link: string): boolean {
  const [file = "", anchor = ""] = decodeURI(link).split("#");
  if (file === "") return !hasAnchor(text, anchor);
  const target = posix.join(posix.dirname(path), file);
  if (target.startsWith("..") || file.startsWith("/") || !existsSync(target)) return true;
  return (
    anchor !== "" && !(target.endsWith(".md") && hasAnchor(readFileSync(target, "utf8"), anchor))
  );
}

const hasAnchor = (text: string, anchor: string): boolean =>
  readMarkdown(text).sections.some((section) => section.anchor === anchor);
