import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const schemas = /@aws-sdk[\\/](client-[\w-]+)[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;
const client = /@aws-sdk\/(client-[\w-]+)\//;

// These names differ from the codes that AWS sends.
const errors: Readonly<Record<string, readonly string[]>> = {
  "client-auto-scaling": ["ResourceContentionFault"],
  "client-eks": [],
  "client-ssm": [],
};

/** Lets esbuild drop the AWS schemas that nobody uses. It must keep objects with computed keys, but not literal ones; and it must keep every error that is registered. */
export const awsSchemas: Plugin = {
  name: "aws-schemas",
  setup(build) {
    const done = new Set<string>();
    build.onLoad({ filter: schemas }, async ({ path }) => {
      const name = schemas.exec(path)?.[1] ?? "";
      done.add(name);
      return { contents: usedOf(name, await readFile(path, "utf8")) };
    });
    build.onEnd(({ metafile }) => {
      const clients = Object.keys(metafile?.inputs ?? {}).map((path) => client.exec(path)?.[1]);
      const missed = [...new Set(clients)].filter((name) => name !== undefined && !done.has(name));
      return { errors: missed.map((name) => ({ text: `no schemas were found in ${name}` })) };
    });
  },
};

function usedOf(name: string, source: string): string {
  const known = errors[name];
  return withLiteralKeys(known === undefined ? source : withKnownErrors(source, known));
}

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
