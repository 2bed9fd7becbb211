import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Plugin } from "esbuild";
import { parseAllDocuments } from "yaml";

/** The documents of a manifest in YAML, as a list in JSON. */
export function manifestsJson(yaml: string): string {
  const documents = parseAllDocuments(yaml);
  for (const { errors } of documents) if (errors[0] !== undefined) throw errors[0];
  return JSON.stringify(documents.map((document): unknown => document.toJS()));
}

/** Turns manifests into modules of JSON, so that the functions need no YAML library to read them. */
export const manifests: Plugin = {
  name: "manifests",
  setup(build) {
    build.onLoad({ filter: /\.yaml$/ }, async ({ path }) => {
      try {
        const json = manifestsJson(await readFile(path, "utf8"));
        return { contents: `export default ${JSON.stringify(json)};` };
      } catch (cause) {
        return { errors: [{ text: `${basename(path)}: ${String(cause)}` }] };
      }
    });
  },
};
