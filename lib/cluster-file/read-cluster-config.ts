import { LineCounter, parseDocument } from "yaml";
import { someOf } from "../../lambda/base/counted.ts";
import { tryNearest } from "../nearest.ts";
import { Refusal } from "../refusal.ts";
import { type ClusterConfig, clusterConfigSchema, keysAt } from "./cluster-config-schema.ts";
import { contradictions } from "./contradictions.ts";
import { fieldOf, type Layer, type LayeredValue, layered, layersUnder } from "./layers.ts";

/** Reads the file of a cluster. A refusal names every value that is wrong, and what it has to be. */
export const readClusterConfig = (text: string, file: string): ClusterConfig =>
  configIn([{ file, text }]).config;

/** Reads the file of a cluster with the files under it in a folder. Says which file each value is from. */
export function readClusterFile(text: string, file: string, folder: string): ReadFile {
  const value = json(text, file);
  return configIn([...layersUnder(value, file, folder), { file, text }]);
}

/** The place of a cluster as its file has it, unchecked. */
export type UncheckedPlace = Readonly<Record<"name" | "region" | "account", unknown>>;

/** The place of a cluster according to its file and those under it, even if something else in them is wrong. */
export function placeSaid(text: string, file: string, folder: string): UncheckedPlace {
  const layers = [...layersUnder(json(text, file), file, folder), { file, text }];
  const cluster = fieldOf(layered(valuesIn(layers)).value, "cluster");
  const [name, region, account] = ["name", "region", "account"].map((key) => fieldOf(cluster, key));
  return { name, region, account };
}

/** A cluster's file, after it was read. */
export interface ReadFile {
  readonly config: ClusterConfig;
  readonly said: readonly LayeredValue[];
}

const valuesIn = (layers: readonly Layer[]) =>
  layers.map(({ file, text }) => ({ file, value: json(text, file) }));

function configIn(layers: readonly Layer[]): ReadFile {
  const values = valuesIn(layers);
  for (const { file, text } of layers) assertEachOnce(text, file);
  const { value, said } = layered(values);
  const result = clusterConfigSchema.safeParse(value, { reportInput: true });
  const wrongs = result.success
    ? contradictions(result.data).map(({ path, expected, got }) => ({
        path,
        text: wrong(path, expected, got),
      }))
    : result.error.issues.map((issue) => ({ path: placeIn(issue), text: wrongIn(issue) }));
  if (result.success && wrongs.length === 0) return { config: result.data, said };
  const own = layers.at(-1)?.file;
  const under = said.filter(({ file }) => file !== own);
  throw new Refusal(`${own} does not fit:`, {
    wrongs: wrongs.map(({ path, text }) => `${text}${fromWhere(path, under)}`),
  });
}

/** Names the file under the cluster's that has a wrong value. */
function fromWhere(path: readonly PropertyKey[], under: readonly LayeredValue[]): string {
  const from = under.find(
    (one) =>
      path.length > 0 &&
      one.path.every((key, index) => index >= path.length || path[index] === key),
  );
  return from === undefined ? "" : ` (${from.file})`;
}

type ConfigResult = ReturnType<typeof clusterConfigSchema.safeParse>;
type ConfigIssue = NonNullable<ConfigResult["error"]>["issues"][number];

/** The path of a problem. An unknown key has a path of its own. */
const placeIn = (issue: ConfigIssue): readonly PropertyKey[] =>
  issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;

function wrongIn(issue: ConfigIssue): string {
  if (issue.code !== "unrecognized_keys") return wrong(issue.path, issue.message, issue.input);
  const known = keysAt(issue.path);
  const named = issue.keys.map((key) => unknown(key, known));
  return `${placeOf(issue.path)}: there is no ${someOf(named, mostNamed)}`;
}

const mostNamed = 20;

function unknown(key: string, known: readonly string[]): string {
  const meant = tryNearest(key, known);
  return meant === undefined ? `"${key}"` : `"${key}" (did you mean "${meant}"?)`;
}

function wrong(path: readonly PropertyKey[], expected: string, input: unknown): string {
  const got = input === undefined ? "nothing" : JSON.stringify(input);
  return `${placeOf(path)}: expected ${expected}, got ${got}`;
}

const placeOf = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? "the file" : path.map(String).join(".");

function json(text: string, file: string): unknown {
  if (text.trim() === "") throw new Refusal(`${file} is empty`);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const [token] = unexpected(cause);
    const said = cause instanceof Error ? cause.message : String(cause);
    const why = token === undefined ? said : `${token} (line ${lineOfToken(text)})`;
    throw new Refusal(`${file} is not JSON: ${why}`, { cause });
  }
}

/** The unexpected token that JSON.parse names without its position, and with an excerpt that contains line breaks. */
const unexpected = (cause: unknown): readonly string[] =>
  /Unexpected token '.'/u.exec(String(cause)) ?? [];

/** The first line up to which the text has an unexpected token, and does not just end too early. */
function lineOfToken(text: string): number {
  const lines = text.split("\n");
  const has = (count: number): boolean => {
    try {
      JSON.parse(lines.slice(0, count).join("\n"));
      return false;
    } catch (cause) {
      return unexpected(cause).length > 0;
    }
  };
  // Once a beginning has the token, each longer one has it too.
  let [without, reached] = [0, lines.length];
  while (reached - without > 1) {
    const middle = Math.floor((without + reached) / 2);
    if (has(middle)) reached = middle;
    else without = middle;
  }
  return reached;
}

/** Refuses a key that occurs twice, because JSON.parse silently keeps only the second. */
function assertEachOnce(text: string, file: string): void {
  const lines = new LineCounter();
  const { errors } = parseDocument(text, { lineCounter: lines });
  const [twice] = errors.filter(({ code }) => code === "DUPLICATE_KEY");
  if (twice === undefined) return;
  const [at] = twice.pos;
  const [, key = ""] = /^"([^"]*)"/.exec(text.slice(at)) ?? [];
  throw new Refusal(
    `${file}, line ${lines.linePos(at).line}: "${key}" is there for the second time`,
  );
}
