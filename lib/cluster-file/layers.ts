import { existsSync, readdirSync, readFileSync } from "node:fs";
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

/** A value of a cluster, and the highest file that says it: the cluster's own, or one under it. */
export interface LayeredValue {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly file: string;
}

/** Whether a file in `clusters/` is one of those under the files of clusters: `defaults`, with an account or a Region behind it or with nothing. */
function isDefaults(name: string): boolean {
  const [, place] = /^defaults-(.*)$/.exec(name) ?? [];
  return name === "defaults" || [account, region].some((one) => one.safeParse(place).success);
}

/** The text of a file in `clusters/`, without the byte order mark that some editors begin it with. */
export function textOf(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8").replace(/^\ufeff/, "");
  } catch (cause) {
    const isFolder = cause instanceof Error && "code" in cause && cause.code === "EISDIR";
    const why = isFolder ? "it is a folder" : String(cause);
    throw new Refusal(`${file} cannot be read: ${why}`, { cause });
  }
}

/** The names of the files of clusters in a folder. */
export const clusterNames = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json") && !file.endsWith(".schema.json"))
    .map((file) => file.slice(0, -".json".length))
    .filter((name) => !isDefaults(name));

/** The files under that of a cluster, from the ground up: what all clusters have in common, those of its account, and those of its Region. */
export function layersUnder(value: unknown, file: string, folder: string): readonly Layer[] {
  const cluster = fieldOf(value, "cluster");
  const places = ["account", "region"].map((key) => fieldOf(cluster, key));
  const layerOf = (name: string): Layer => {
    const its = join(dirname(file), `${name}.json`);
    return { file: its, text: textOf(join(folder, `${name}.json`), its) };
  };
  if (!existsSync(folder)) return [];
  for (const name of clusterNames(folder).filter((one) => one.startsWith("defaults")))
    assertOfCluster(layerOf(name));
  return ["defaults", ...places.map((place) => `defaults-${String(place)}`)]
    .filter((name) => existsSync(join(folder, `${name}.json`)))
    .map(layerOf);
}

/** Refuses a file that is to stand under those of clusters, but whose name is none of an account or a Region: it would say nothing to any. */
function assertOfCluster({ file, text }: Layer): void {
  if (fieldOf(tryJson(text), "cluster") !== undefined) return;
  throw new Refusal(
    `${file} stands under no cluster's file: defaults.json, defaults-eu-west-1.json for a Region, or defaults-123456789012.json for an account will do as its name`,
  );
}

/** A value in which each field is the highest that there is, and which file says it. */
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

/** A field of a value, if it has that. */
export const fieldOf = (value: unknown, key: string): unknown =>
  isPart(value) ? new Map(Object.entries(value)).get(key) : undefined;

const at = (value: unknown, path: readonly string[]): unknown => path.reduce(fieldOf, value);

/** Parts are put together field by field; a list, as any other value, takes the place of the one under it. */
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
