import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { tryNearest } from "../../lib/nearest.ts";

/** The text of an event file, or an error message if there is none. */
export type EventFile =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "unknown"; readonly complaint: string };

const project = dirname(dirname(import.meta.dirname));

/** Reads an event file. If that fails, the message lists the saved events and suggests the most similar name. */
export function readEventFile(path: string, cwd: string): EventFile {
  try {
    return { kind: "read", text: readFileSync(resolve(cwd, path), "utf8") };
  } catch (error) {
    return { kind: "unknown", complaint: complaint(path, cwd, reasonIn(error)) };
  }
}

function complaint(path: string, cwd: string, reason: string): string {
  const folder = relative(cwd, join(project, "events")) || ".";
  const names = savedEvents();
  const meant = tryNearest(`${basename(path).replace(/\.json$/, "")}.json`, names);
  const hint =
    meant === undefined ? "choose one of those below" : `did you mean ${join(folder, meant)}?`;
  return [
    `error: cannot read event file ${path}: ${reason}; ${hint}`,
    `saved events in ${folder}:`,
    ...names.map((name) => `  ${name}`),
  ].join("\n");
}

const savedEvents = (): readonly string[] =>
  readdirSync(join(project, "events"))
    .filter((name) => name.endsWith(".json"))
    .sort();

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "it may not be read",
};

function reasonIn(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (error instanceof Error ? error.message : String(error));
}
