import { readFileSync } from "node:fs";
import { posix } from "node:path";

/** The folders of `lambda/`, from the top down, as ARCHITECTURE.md lists them: each imports only those that stand after it. */
export const order: readonly string[] = Array.from(
  /^\*-handler\.ts [\s\S]*?(?=^```)/m
    .exec(readFileSync("ARCHITECTURE.md", "utf8"))?.[0]
    .matchAll(/^[\w*.-]+/gm) ?? [],
  ([name]) => name.replace("*-handler.ts", "handlers"),
);
const vendors = ["aws", "kubernetes", "http", "process"];
const subjects = order.filter((room) => ![...vendors, "config", "handlers"].includes(room));

/** What the command line and `lib/` share: it needs no CDK. */
const shared =
  /^lib\/(?:merged|nearest|stack-name|partition-of|refusal|cluster-file\/(?!cluster-file\.|stack-id\.)[\w-]+|limits\/assert-access|webhook\/(?:assert-template|webhook-schema)|function\/(?:function-permissions|permission-grant|queue-permissions)|repair\/(?:repair-permissions|in-cluster-file))\.ts$/;

/** What the rooms outside of `lambda/` may import, besides themselves. */
const outside: Readonly<Record<string, readonly string[]>> = {
  journal: subjects,
  shared: [...subjects, "config"],
  lib: [...subjects, "config", "shared"],
  sandbox: [...subjects, "journal"],
  bundle: ["base", "aws"],
  cli: [...order, "journal", "sandbox", "bundle", "shared"],
  bin: ["lib", "shared", "cli"],
  generate: [...subjects, "config", "shared", "journal", "lib", "bundle", "cli"],
  lint: [],
  mutate: ["bundle"],
  data: [],
};
const house = [...order, ...Object.keys(outside)];
const all: Readonly<Record<string, readonly string[]>> = {
  ...outside,
  test: house,
  bench: [...house, "test"],
};

/** The room that a file is in. */
export function roomOf(path: string): string | undefined {
  const [top = "", folder = "", ...deeper] = path.split("/");
  if (folder === "") return "data";
  const inLambda = deeper.length === 0 ? "handlers" : folder;
  const rooms: Readonly<Record<string, string>> = { lambda: inLambda, tools: folder };
  const room = rooms[top] ?? (shared.test(path) ? "shared" : top);
  return order.includes(room) || room in all ? room : undefined;
}

/** Everything that may ship in a bundle: each package costs size, start-up time and trust. */
const shipped =
  /^(?:node:|@aws-sdk\/(?:core|client-(?:auto-scaling|ec2|eks|elastic-load-balancing(?:-v2)?|iam|secrets-manager|sqs|ssm))$|@kubernetes\/client-node$|@smithy\/(?:core|signature-v4|types)$|zod$)/;
const packages: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries([...subjects, "config"].map((room) => [room, /^$/])),
  ...Object.fromEntries([...vendors, "handlers"].map((room) => [room, shipped])),
  journal: /^(?:node:|zod$)/,
  shared: /^(?:node:|zod$|yaml$)/,
};

const statement = /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']/gm;
const sideEffect = /^\s*import\s*["']([^"']+)["']/gm;
const call = /\b(?:import|require|require\.resolve)\s*\(\s*(?:["'`]([^"'`$]+)["'`]\s*\))?/g;

/** The targets of all imports in a text, of types and values; `(computed)` where only the running program knows. */
export const importsOf = (text: string): readonly string[] =>
  [statement, sideEffect, call].flatMap((form) =>
    [...text.matchAll(form)].map(([, target]) => target ?? "(computed)"),
  );

/** Why a file may not import this package. */
function wrongPackage(path: string, target: string): string | undefined {
  const room = roomOf(path) ?? "";
  const name = target.split("/", target.startsWith("@") ? 2 : 1).join("/");
  if (packages[room]?.test(name) === false) return `${room} must not import the package ${name}`;
  return name === "zod" && !path.endsWith("-schema.ts") ? "zod belongs in a schema" : undefined;
}

const acts = (path: string): boolean => path.endsWith(".flow.ts");

/** Why a file may not import this. */
function wrongImport(path: string, target: string): string | undefined {
  if (!target.startsWith(".")) return wrongPackage(path, target);
  const file = posix.join(posix.dirname(path), target);
  const [from = "", to = "what is in no room"] = [roomOf(path), roomOf(file)];
  const isBelow = order.includes(from)
    ? order.indexOf(to) > order.indexOf(from)
    : all[from]?.includes(to);
  if (from !== to && !isBelow) return `${from} must not import ${to}`;
  if (!acts(file) || acts(path)) return undefined;
  const mayAct = ["handlers", "cli", "test", "bench", "bundle"].includes(from);
  return mayAct ? undefined : `${from} decides here, and must not import what acts`;
}

/** What is wrong with a file's place, its imports, and its reading of the environment. */
export function violationsOf(path: string, text: string): readonly string[] {
  if (roomOf(path) === undefined) return [`${path}: is in no room of the house`];
  const wrongs = importsOf(text).flatMap((target) => {
    const why = wrongImport(path, target);
    return why === undefined ? [] : [`${path}: ${why} (${target})`];
  });
  const isElsewhere = path.startsWith("lambda/") && path !== "lambda/config/config.ts";
  const reads = /\bprocess\s*\??\.\s*env\b|["']node:process["']/.test(text);
  return isElsewhere && reads
    ? [...wrongs, `${path}: only config.ts reads the environment`]
    : wrongs;
}
