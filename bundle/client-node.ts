import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Fields } from "./fields.ts";
import { firstGroups } from "./first-groups.ts";
import type { SourceFile } from "./function-sources.ts";
import { trimClasses } from "./generated-classes.ts";
import type { Operations } from "./operations.ts";

/** Where client-node is, which of its operations and fields are in use, and the sources that use them. */
export interface KubernetesUse {
  readonly clientNode: string;
  readonly operations: Operations;
  readonly fields: Fields;
  readonly sources: readonly SourceFile[];
}

/** The folder of client-node's compiled sources, resolved from another folder. */
export const clientNodeFolder = (from: string): string =>
  dirname(createRequire(join(from, "package.json")).resolve("@kubernetes/client-node"));

/** The generated source that turns calls of an API class into requests, and answers into objects. */
export const apiSource = (folder: string, api: string): Promise<string> =>
  readFile(join(folder, "gen/apis", `${api}.js`), "utf8");

/** The layers of classes above that source. Every operation passes through all of them. */
export const layers = {
  ObjectParamAPI: "Object",
  ObservableAPI: "Observable",
} as const;

const withInfo = (operation: string): string => `${operation}WithHttpInfo`;

/** The source of a layer, reduced to the operations in use. */
export function trimLayer(
  source: string,
  layer: keyof typeof layers,
  operations: Operations,
): string {
  const classes = Object.entries(operations).map(([api, names]) => [
    layers[layer] + api,
    names.flatMap((name) => [name, withInfo(name)]),
  ]);
  return withoutMap(trimClasses(source, Object.fromEntries(classes)));
}

/** The source of an API's requests and answers, reduced to the operations in use. */
export function trimApi(source: string, api: string, kept: readonly string[]): string {
  const classes = {
    [`${api}RequestFactory`]: kept,
    [`${api}ResponseProcessor`]: kept.map(withInfo),
  };
  return withoutMap(trimClasses(source, classes));
}

// The source map no longer fits: its lines are those of the whole source.
const withoutMap = (source: string): string => source.replace(/^\/\/# sourceMappingURL=.*$/m, "");

const serialised = /ObjectSerializer\.serialize\(\w+, "(.+?)", ".*?"\)/g;
const deserialised = /ObjectSerializer\.deserialize\(.*, "(.+?)", ".*?"\)/g;

/** The types that the operations in a trimmed API source send and receive. */
export function typesOf(trimmedSource: string): readonly string[] {
  const types = [serialised, deserialised].flatMap((form) => firstGroups(trimmedSource, form));
  const uses = trimmedSource.split(/ObjectSerializer\.(?:de)?serialize\(/).length - 1;
  if (types.length === uses) return types;
  throw new Error("cannot read which types the operations of client-node send and receive");
}
