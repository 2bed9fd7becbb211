import { globSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import { withNamedMembers } from "./named-members.ts";

const schemas = /@aws-sdk[\\/](client-[\w-]+)[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;
const client = /@aws-sdk\/(client-[\w-]+)\//;

// These names differ from the codes that AWS sends.
const errors: Readonly<Record<string, readonly string[]>> = {
  "client-auto-scaling": ["ResourceContentionFault"],
  "client-eks": [],
  "client-ssm": [],
};

// What reads or writes a member of an AWS shape: the functions, and the SDK itself, which checks a message or asks for a page.
const readers = [
  "lambda/**/*.ts",
  "node_modules/@aws-sdk/{core,middleware-*}/dist-es/**/*.js",
  "node_modules/@aws-sdk/client-*/dist-es/{pagination,waiters}/*.js",
];

/**
 * Lets esbuild drop the AWS schemas that nobody uses. It must keep objects with computed keys, but not literal ones; every error
 * that is registered; and the schema of each member, so those that nothing names go.
 */
export const awsSchemas: Plugin = {
  name: "aws-schemas",
  setup(build) {
    const done = new Set<string>();
    let named: ReadonlySet<string> | undefined;
    build.onLoad({ filter: schemas }, async ({ path }) => {
      const name = schemas.exec(path)?.[1] ?? "";
      done.add(name);
      named ??= wordsOf(build.initialOptions.absWorkingDir ?? ".");
      return { contents: usedOf(name, await readFile(path, "utf8"), named) };
    });
    build.onEnd(({ metafile }) => {
      const clients = Object.keys(metafile?.inputs ?? {}).map((path) => client.exec(path)?.[1]);
      const missed = [...new Set(clients)].filter((name) => name !== undefined && !done.has(name));
      return { errors: missed.map((name) => ({ text: `no schemas were found in ${name}` })) };
    });
  },
};

function usedOf(name: string, source: string, named: ReadonlySet<string>): string {
  const known = errors[name];
  const registered = known === undefined ? source : withKnownErrors(source, known);
  return withLiteralKeys(withNamedMembers(registered, named));
}

/** The words of all that reads or writes a member. */
const wordsOf = (root: string): ReadonlySet<string> =>
  new Set(
    globSync(readers, { cwd: root }).flatMap(
      (path) => readFileSync(join(root, path), "utf8").match(/[a-z]\w*/gi) ?? [],
    ),
  );

/**
 * Registers only these error classes of a client.
 *
 * The SDK throws an error that it does not know as the client's base exception, with the name and the message that AWS sent.
 */
export function withKnownErrors(source: string, known: readonly string[]): string {
  const missing = known.find((name) => !source.includes(`.registerError(${name}$, ${name});`));
  if (missing !== undefined) throw new Error(`an AWS client knows no error ${missing}`);
  return source.replace(/^n0_registry\.registerError\((\w+)\$, \w+\);\n/gm, (line, name: string) =>
    known.includes(name) ? line : "",
  );
}

/** Writes `{ [_xN]: … }` as `{ "xmlName": … }`, given `const _xN = "xmlName";` in the same text. */
export function withLiteralKeys(source: string): string {
  const definitions = [...source.matchAll(/^const (_\w+) = (".*");$/gm)];
  const literals = new Map(definitions.map(([, name = "", literal = ""]) => [name, literal]));
  return source.replace(/\[(_\w+)\]:/g, (_match, name: string) => {
    const literal = literals.get(name);
    if (literal === undefined) throw new Error(`an AWS schema has a key ${name} that is no text`);
    return `${literal}:`;
  });
}
