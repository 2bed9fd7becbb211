import { posix } from "node:path";
import { importsOf } from "./imports-of.ts";
import { type Room, rooms } from "./rooms.ts";
import type { SourceFile } from "./source-file.ts";

const readsSchemas = /^lambda\/(config|events|schema)\/|-schema\.ts$/;

const roomOf = (path: string): Room | undefined => rooms.find(({ files }) => files.test(path));

const packageOf = (target: string): string => {
  if (target.startsWith("node:")) return "node:";
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
};

function mayEnter(room: Room, entered: Room | undefined): boolean {
  if (entered === undefined) return false;
  if (room.rooms === "all") return true;
  return room.rooms.includes(entered.name);
}

/** Why an import of another file of the house is not allowed. */
function wrongRoom(path: string, target: string, room: Room): string | undefined {
  const entered = roomOf(posix.join(posix.dirname(path), target));
  if (mayEnter(room, entered)) return undefined;
  return `${room.name} must not import ${entered?.name ?? "what is in no room"}`;
}

/** Why an import of a package is not allowed. */
function wrongPackage(path: string, target: string, room: Room): string | undefined {
  const name = packageOf(target);
  if (room.packages !== "all" && !room.packages.includes(name)) {
    return `${room.name} must not import the package ${name}`;
  }
  if (name === "zod" && !readsSchemas.test(path)) return "zod belongs in a schema";
  return undefined;
}

function wrongEnvironment({ path, text }: SourceFile): readonly string[] {
  const elsewhere = path.startsWith("lambda/") && path !== "lambda/config/config.ts";
  const reads = /\bprocess\s*\??\.\s*env\b|["']node:process["']/.test(text);
  return elsewhere && reads ? [`${path}: only config.ts reads the environment`] : [];
}

/** What is wrong with a file's imports, and with its reading of the environment. */
export function violationsOf(file: SourceFile): readonly string[] {
  const { path, text } = file;
  const room = roomOf(path);
  if (room === undefined) return [`${path}: is in no room of the house`];
  const wrongs = importsOf(text).flatMap((target) => {
    const wrong = target.startsWith(".") ? wrongRoom : wrongPackage;
    const why = wrong(path, target, room);
    return why === undefined ? [] : [`${path}: ${why} (${target})`];
  });
  return [...wrongs, ...wrongEnvironment(file)];
}
