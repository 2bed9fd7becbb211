import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { fieldsOfUpgrades, readFields } from "../../lambda/adapters/aws/read-fields.ts";
import { withKnownErrors } from "./known-errors.ts";
import { withLiteralKeys } from "./literal-keys.ts";
import { type ReadMembers, withReadMembers } from "./read-members.ts";

/** Whether a function reads what only upgrades read of AWS. */
export type Reader = "others" | "upgrades";

const schemas = /@aws-sdk[\\/](client-[\w-]+)[\\/]dist-es[\\/]schemas[\\/]schemas_\d+\.js$/;
const client = /@aws-sdk\/(client-[\w-]+)\//;

type Fields = Readonly<Record<string, ReadMembers>>;
const read: Fields = readFields;
const readByUpgrades: Fields = fieldsOfUpgrades;

// These names differ from the codes that AWS sends.
const errors: Readonly<Record<string, readonly string[]>> = {
  "client-auto-scaling": ["ResourceContentionFault"],
  "client-eks": [],
  "client-ssm": [],
};

/**
 * Leaves only what is used in the AWS schemas: the fields that are read, and few errors.
 *
 * esbuild can then drop the schemas of all else. It must keep objects with computed keys, but not literal ones.
 */
export const awsSchemas = (reader: Reader): Plugin => ({
  name: "aws-schemas",
  setup(build) {
    const done = new Set<string>();
    build.onLoad({ filter: schemas }, async ({ path }) => {
      const name = schemas.exec(path)?.[1] ?? "";
      done.add(name);
      return { contents: usedOf(name, await readFile(path, "utf8"), reader) };
    });
    build.onEnd(({ metafile }) => {
      const clients = Object.keys(metafile?.inputs ?? {}).map((path) => client.exec(path)?.[1]);
      const missed = [...new Set(clients)].filter((name) => name !== undefined && !done.has(name));
      return { errors: missed.map((name) => ({ text: `no schemas were found in ${name}` })) };
    });
  },
});

/** The schemas of a client without what the function does not use. */
export function usedOf(name: string, source: string, reader: Reader): string {
  const trimmed = withReadMembers(source, reader === "upgrades" ? allOf(name) : (read[name] ?? {}));
  const known = errors[name];
  return withLiteralKeys(known === undefined ? trimmed : withKnownErrors(trimmed, known));
}

/** The fields that all functions read of a client, and those that only upgrades read. */
function allOf(client: string): ReadMembers {
  const { [client]: common = {} } = read;
  const { [client]: own = {} } = readByUpgrades;
  const names = [...new Set([...Object.keys(common), ...Object.keys(own)])];
  return Object.fromEntries(
    names.map((name) => [name, [...(common[name] ?? []), ...(own[name] ?? [])]]),
  );
}
