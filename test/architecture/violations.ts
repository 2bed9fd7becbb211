import { posix } from "node:path";
import { importsOf } from "./imports-of.ts";
import { outbuildings, type Room, rooms } from "./rooms.ts";
import type { SourceFile } from "./source-file.ts";

const readsSchemas = /-schema\.ts$/;

const all = [...rooms, ...outbuildings];

/** The room that a file is in: the one with the longest place that its path begins with. */
export function roomOf(path: string): Room | undefined {
  const fits = (room: Room): number =>
    Math.max(0, ...room.places.filter((place) => isAt(path, place)).map((place) => place.length));
  const best = all.toSorted((a, b) => fits(b) - fits(a))[0];
  return best !== undefined && fits(best) > 0 ? best : undefined;
}

function isAt(path: string, place: string): boolean {
  if (place.endsWith("/*")) return posix.dirname(path) === posix.dirname(place);
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

const packageOf = (target: string): string => {
  if (target.startsWith("node:")) return "node:";
  return target
    .split("/")
    .slice(0, target.startsWith("@") ? 2 : 1)
    .join("/");
};

/** Why an import of another file of the house is not allowed. */
function wrongRoom(path: string, target: string, room: Room): string | undefined {
  const entered = roomOf(posix.join(posix.dirname(path), target));
  if (entered === room || room.rooms.includes(entered?.name ?? "")) return undefined;
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
