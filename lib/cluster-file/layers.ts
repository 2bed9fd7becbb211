import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A file that a cluster's values come from. */
export interface Layer {
  /** Its path, as messages name it. */
  readonly file: string;
  readonly text: string;
}

/** A value of a cluster, and the highest file that says it: the cluster's own, or one under it. */
export interface Said {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly file: string;
}

/** Whether a file in `clusters/` is one of those under the files of clusters: `defaults`, with an account or a Region behind it or with nothing. */
const isDefaults = (name: string): boolean =>
  /^defaults(-\d{12}|-[a-z]{2,4}(-[a-z]{2,4})?-[a-z]+-\d)?$/.test(name);

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
  return ["defaults", ...places.map((place) => `defaults-${String(place)}`)].flatMap((name) => {
    const path = join(folder, `${name}.json`);
    if (!existsSync(path)) return [];
    return [{ file: join(dirname(file), basename(path)), text: readFileSync(path, "utf8") }];
  });
}

/** A value in which each field is the highest that there is, and which file says it. */
export function layered(layers: readonly { readonly file: string; readonly value: unknown }[]): {
  readonly value: unknown;
  readonly said: readonly Said[];
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
