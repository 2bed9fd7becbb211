import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { tryJson } from "../../lambda/base/try-json.ts";
import { Refusal } from "../refusal.ts";
import { account, region } from "./name-schema.ts";

/** A file that a cluster's values come from. */
export interface Layer {
  /** Its path, as messages name it. */
  readonly file: string;
  readonly text: string;
}

/** A value of a cluster, and the file that sets it: the cluster's own, or one under it. */
export interface LayeredValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly file: string;
}

/** Whether a file in `clusters/` has defaults: its name is `defaults`, alone or followed by an account or a Region. */
function isDefaults(name: string): boolean {
  const [, place] = /^defaults-(.*)$/.exec(name) ?? [];
  return name === "defaults" || [account, region].some((one) => one.safeParse(place).success);
}

/** The text of a file in `clusters/`, without a byte order mark. */
export function textOf(path: string, file: string): string {
  const text = contentOf(path, file);
  if (text.length > mostLetters) throw tooLong(file);
  if (depthOf(text) > mostDeep)
    throw new Refusal(`${file} cannot be read: its brackets are more than ${mostDeep} deep`);
  return text;
}

const tooLong = (file: string): Refusal =>
  new Refusal(`${file} cannot be read: it has more than ${mostLetters} characters`);

// A file of a cluster with 300 groups and all settings has some 30,000 characters, and is five deep.
// The search for keys that are there twice takes the square of their number.
const mostLetters = 100_000;
const mostDeep = 20;

/** The depth of the brackets in a JSON text; those in strings do not count. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  // A string without an end goes to the end of the text: otherwise each quote in it would be tried as a beginning.
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.?)*"?|[[\]{}]/gs)) {
    if (part === "[" || part === "{") depth += 1;
    if (part === "]" || part === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

// No character has more bytes in UTF-8.
const longestLetter = 4;

/** The content of a plain file. A pipe or a device, perhaps behind a link, would be waited for, or never end. */
function contentOf(path: string, file: string): string {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new Refusal(`${file} cannot be read: it is a folder`);
    if (!found.isFile()) throw new Refusal(`${file} cannot be read: it is no plain file`);
    if (found.size > mostLetters * longestLetter) throw tooLong(file);
    return readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw new Refusal(`${file} cannot be read: ${String(cause)}`, { cause });
  }
}

export const clusterNames = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json") && !file.endsWith(".schema.json"))
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => !isDefaults(name));

/** The files under a cluster's own, in their order: for all clusters, for its account, and for its Region. */
export function layersUnder(value: unknown, file: string, folder: string): readonly Layer[] {
  const cluster = fieldOf(value, "cluster");
  const places = ["account", "region"]
    .map((key) => fieldOf(cluster, key))
    .filter((place) => typeof place === "string");
  const layerOf = (name: string): Layer => {
    const its = join(dirname(file), `${name}.json`);
    return { file: its, text: textOf(join(folder, `${name}.json`), its) };
  };
  if (!existsSync(folder)) return [];
  for (const name of clusterNames(folder).filter((one) => one.startsWith("defaults")))
    assertOfCluster(layerOf(name));
  return ["defaults", ...places.map((place) => `defaults-${place}`)]
    .filter((name) => isDefaults(name) && existsSync(join(folder, `${name}.json`)))
    .map(layerOf);
}

/** Refuses a file with defaults whose name is not that of an account or a Region, because it would apply to no cluster. */
function assertOfCluster({ file, text }: Layer): void {
  if (fieldOf(tryJson(text), "cluster") !== undefined) return;
  throw new Refusal(
    `${file} stands under no cluster's file: defaults.json, defaults-eu-west-1.json for a Region, or defaults-123456789012.json for an account will do as its name`,
  );
}

/** Combines values so that each field comes from the highest file that has it, and says which file that is. */
export function layered(layers: readonly { readonly file: string; readonly value: unknown }[]): {
  readonly value: unknown;
  readonly said: readonly LayeredValue[];
} {
  const value = layers.reduce<unknown>((under, layer) => over(under, layer.value), undefined);
  const said = leavesOf(value).map((leaf) => {
    const from = layers.findLast((layer) => at(layer.value, leaf.path) !== undefined);
    return { ...leaf, file: from?.file ?? "" };
  });
  return { value, said };
}

const isPart = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field of a value; `undefined` if it has none. */
export const fieldOf = (value: unknown, key: string): unknown =>
  isPart(value) ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;

const at = (value: unknown, path: readonly string[]): unknown => path.reduce(fieldOf, value);

/** Merges parts field by field. A list or any other value replaces the one under it. */
function over(under: unknown, upper: unknown): unknown {
  if (upper === undefined) return under;
  if (!isPart(under) || !isPart(upper)) return upper;
  const keys = new Set([...Object.keys(under), ...Object.keys(upper)]);
  return Object.fromEntries(
    [...keys].map((key) => [key, over(fieldOf(under, key), fieldOf(upper, key))]),
  );
}

function leavesOf(
  value: unknown,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly value: unknown }[] {
  if (!isPart(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));
}
