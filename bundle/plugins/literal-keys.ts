import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const schemas = /@aws-sdk[\\/](client-[\w-]+)[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;
const client = /@aws-sdk\/(client-[\w-]+)\//;

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

/** Lets esbuild drop unused AWS schemas: it must keep objects with computed keys, but not literal ones. */
export const literalKeys: Plugin = {
  name: "literal-keys",
  setup(build) {
    const done = new Set<string>();
    build.onLoad({ filter: schemas }, async ({ path }) => {
      done.add(schemas.exec(path)?.[1] ?? "");
      return { contents: withLiteralKeys(await readFile(path, "utf8")) };
    });
    build.onEnd(({ metafile }) => {
      const clients = Object.keys(metafile?.inputs ?? {}).map((path) => client.exec(path)?.[1]);
      const missed = [...new Set(clients)].filter((name) => name !== undefined && !done.has(name));
      return { errors: missed.map((name) => ({ text: `no schemas were found in ${name}` })) };
    });
  },
};
