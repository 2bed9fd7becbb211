import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../../tools/bundle/project-root.ts";

/** A project in a folder of its own, with the packages of this one. */
export interface TemporaryProject {
  readonly root: string;
  remove(): void;
}

/** Makes a project of some files, given by path and text. */
export function temporaryProject(files: Readonly<Record<string, string>>): TemporaryProject {
  const top = mkdtempSync(join(tmpdir(), "bundle-"));
  const root = join(top, "a", "project");
  mkdirSync(join(root, "lambda"), { recursive: true });
  cpSync(join(projectRoot, "package.json"), join(root, "package.json"));
  symlinkSync(join(projectRoot, "node_modules"), join(root, "node_modules"));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return { root, remove: () => rmSync(top, { recursive: true, force: true }) };
}

/** Makes a copy of this project's functions, and of what builds them. */
export function projectCopy(): TemporaryProject {
  const copy = temporaryProject({});
  for (const folder of ["lambda", "tools/bundle"])
    cpSync(join(projectRoot, folder), join(copy.root, folder), { recursive: true });
  return copy;
}
