import { LineCounter, parseDocument } from "yaml";
import { tryNearest } from "../nearest.ts";
import { Refusal } from "../refusal.ts";
import { type ClusterConfig, clusterConfigSchema, keysAt } from "./cluster-config-schema.ts";
import { contradictions } from "./contradictions.ts";
import { fieldOf, type Layer, type LayeredValue, layered, layersUnder } from "./layers.ts";

/** Reads the file of a cluster. A refusal names every place that does not fit, and says what would. */
export const readClusterConfig = (text: string, file: string): ClusterConfig =>
  configIn([{ file, text }]).config;

/** Reads the file of a cluster with those under it in a folder, and says which of them each value is from. */
export function readClusterFile(text: string, file: string, folder: string): ReadFile {
  const value = json(text, file);
  return configIn([...layersUnder(value, file, folder), { file, text }]);
}

/** Where a file says that its cluster is, whatever kind of values these are. */
export type PlaceSaid = Readonly<Record<"name" | "region" | "account", unknown>>;

/** What the file of a cluster, with those under it, says of where the cluster is, whatever else in it does not fit. */
export function placeSaid(text: string, file: string, folder: string): PlaceSaid {
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
        told: wrong(path, expected, got),
      }))
    : result.error.issues.map((issue) => ({ path: placeIn(issue), told: wrongIn(issue) }));
  if (result.success && wrongs.length === 0) return { config: result.data, said };
  const own = layers.at(-1)?.file;
  const under = said.filter(({ file }) => file !== own);
  throw new Refusal(`${own} does not fit:`, {
    wrongs: wrongs.map(({ path, told }) => `${told}${fromWhere(path, under)}`),
  });
}

/** The file under the cluster's that says what is wrong at a place. */
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

/** A key that there is not is at its own place, and not at that of the other keys beside it. */
const placeIn = (issue: ConfigIssue): readonly PropertyKey[] =>
  issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;

function wrongIn(issue: ConfigIssue): string {
  if (issue.code !== "unrecognized_keys") return wrong(issue.path, issue.message, issue.input);
  const known = keysAt(issue.path);
  return `${placeOf(issue.path)}: there is no ${issue.keys.map((key) => unknown(key, known)).join(", ")}`;
}

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

/** What JSON.parse names without its place, and with an excerpt that has ends of lines in it. */
const unexpected = (cause: unknown): readonly string[] =>
  /Unexpected token '.'/u.exec(String(cause)) ?? [];

/** The first line up to which a text has what JSON.parse does not expect, rather than too early an end. */
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
  return lines.findIndex((_, index) => has(index + 1)) + 1;
}

/** Refuses a key that occurs twice: of the two, JSON.parse silently keeps the latter. */
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
