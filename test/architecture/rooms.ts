import { posix } from "node:path";

// What `lambda/` is about, from the ground up: no subject imports one that stands after it.
const ground = ["base", "group", "notice"];
const above = [
  ...["interruption", "launch", "forecast", "rights", "report", "upgrade", "repair", "webhook"],
];
const subjects = [...ground, "drain", "making-room", ...above];
// What knows all subjects: every file may name it, and it names them all.
const registrations = "registrations";
const flowOf = (subject: string): string => `${subject}.flow`;
const decides = [...subjects, registrations];
const speaks = ["process", "http", "kubernetes", "aws"];
// A drain makes room on its way: what acts stands the other way round there.
const acts = [...ground, "making-room", "drain", ...above, registrations].map(flowOf);
const lambda = [...decides, "config", ...speaks, ...acts, "handlers"];

/** What the command line and `lib/` share: it needs no CDK. */
const shared =
  /^lib\/(?:nearest|stack-name|partition-of|refusal|cluster-file\/(?!cluster-file\.|stack-id\.)[\w-]+|limits\/assert-(?:access|template)|function\/(?:function-permissions|permission-grant|queue-permissions)|repair\/repair-permissions)\.ts$/;

const none: readonly string[] = [];
/** Everything that may ship in a bundle: each package costs size, start-up time and trust. */
const shipped =
  /^(?:node:|@aws-sdk\/(?:core|client-(?:auto-scaling|ec2|eks|elastic-load-balancing(?:-v2)?|iam|secrets-manager|sqs|ssm))$|@kubernetes\/client-node$|@smithy\/(?:core|signature-v4|types)$|zod$)/;

/** What the rooms outside of `lambda/` may import, besides themselves. */
const others: Readonly<Record<string, readonly string[]>> = {
  journal: decides,
  shared: [...decides, "config"],
  lib: [...decides, "config", "shared"],
  sandbox: [...decides, "journal"],
  bundle: ["base", "aws"],
  cli: [...lambda, "journal", "sandbox", "bundle", "shared"],
  bin: ["lib", "shared", "cli"],
  generate: [...decides, "config", "shared", "lib", "bundle", "cli"],
};
const house = [...lambda, ...Object.keys(others), "data"];
const all: Readonly<Record<string, readonly string[]>> = {
  ...others,
  test: house,
  bench: [...house, "test"],
  data: none,
};

/** The room of a file of `lambda/`: its subject, and whether it decides, acts or speaks to the world. */
function roomInLambda(path: string): string {
  const [, folder = "", file] = path.split("/");
  if (file === undefined) return "handlers";
  if (path.endsWith("-config.ts")) return "config";
  return path.endsWith(".flow.ts") ? flowOf(folder) : folder;
}

/** The room that a file is in. */
export function roomOf(path: string): string | undefined {
  const top = path.includes("/") ? path.slice(0, path.indexOf("/")) : "data";
  const room = top === "lambda" ? roomInLambda(path) : shared.test(path) ? "shared" : top;
  return lambda.includes(room) || room in all ? room : undefined;
}

/** Whether a file of a room of `lambda/` may import a file of another. */
function isBelow(from: string, to: string): boolean {
  if (to === registrations) return from !== "base";
  if (from === registrations) return decides.includes(to);
  // Flows reach the world through ports, and are told what the environment says.
  if (acts.includes(from) && [...speaks, "config"].includes(to)) return false;
  if (speaks.includes(from) && to === "config") return false;
  return lambda.includes(to) && lambda.indexOf(to) < lambda.indexOf(from);
}

const isOpen = (from: string, to: string): boolean =>
  from === to || (lambda.includes(from) ? isBelow(from, to) : (all[from]?.includes(to) ?? false));

const packages: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries([...decides, "config", ...acts].map((room) => [room, /^$/])),
  ...Object.fromEntries([...speaks, "handlers"].map((room) => [room, shipped])),
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

/** Why a file may not import this. */
function wrongImport(path: string, target: string): string | undefined {
  if (!target.startsWith(".")) return wrongPackage(path, target);
  const [from = "", to = "what is in no room"] = [
    roomOf(path),
    roomOf(posix.join(posix.dirname(path), target)),
  ];
  return isOpen(from, to) ? undefined : `${from} must not import ${to}`;
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
