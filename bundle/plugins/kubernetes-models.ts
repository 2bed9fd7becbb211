import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Plugin } from "esbuild";
import { apiSource, type KubernetesUse, trimApi, typesOf } from "../client-node.ts";
import { trimModel } from "../fields.ts";
import { firstGroups } from "../first-groups.ts";
import type { SourceFile } from "../function-sources.ts";
import type { Operations } from "../operations.ts";
import { reachableModels } from "../reachable-models.ts";
import { trimmedFile } from "./trimmed-file.ts";

const mention =
  /^import \{ (\w+) \} from|^export \* from '\.\.\/models\/(\w+)\.js'|^ {4}"(\w+)": \w+,$/;

/** The serialiser's source, without the models that no value in use can contain. */
export function trimSerializer(source: string, models: ReadonlySet<string>): string {
  const lines = source.split("\n");
  const mentioned = lines.map((line) => mention.exec(line)?.slice(1).find(Boolean));
  for (const model of models) {
    const mentions = mentioned.filter((name) => name === model).length;
    if (mentions !== 3) throw new Error(`client-node's ObjectSerializer does not know ${model}`);
  }
  return lines
    .filter((_line, at) => {
      const name = mentioned[at];
      return name === undefined || models.has(name);
    })
    .join("\n");
}

async function typesInUse(clientNode: string, operations: Operations): Promise<readonly string[]> {
  const apis = Object.entries(operations).map(async ([api, kept]) =>
    typesOf(trimApi(await apiSource(clientNode, api), api, kept)),
  );
  return (await Promise.all(apis)).flat();
}

async function modelSources({
  clientNode,
  fields,
}: KubernetesUse): Promise<ReadonlyMap<string, string>> {
  const folder = join(clientNode, "gen/models");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".js"));
  const sources = files.map(async (file) => {
    const name = file.replace(/\.js$/, "");
    return [name, trimModel(name, await readFile(join(folder, file), "utf8"), fields)] as const;
  });
  return new Map(await Promise.all(sources));
}

/** Deploys only those models of client-node that values in use can contain, each with its fields in use. */
export const kubernetesModels = (use: KubernetesUse): Plugin => ({
  name: "kubernetes-models",
  setup(build) {
    const { clientNode, operations, sources, fields } = use;
    const trim = async (source: string): Promise<string> => {
      const all = await modelSources(use);
      const named = namedModels(sources).filter((name) => all.has(name));
      const types = [...named, ...(await typesInUse(clientNode, operations))];
      return trimSerializer(
        source,
        reachableModels(types, (name) => all.get(name)),
      );
    };
    trimmedFile(build, clientNode, ["gen/models/ObjectSerializer.js", trim]);
    build.onLoad({ filter: /[\\/]gen[\\/]models[\\/]V1\w+\.js$/ }, async ({ path }) => ({
      contents: trimModel(basename(path, ".js"), await readFile(path, "utf8"), fields),
    }));
  },
});

// Our own code deserialises the events of a watch, and names their types in strings.
const namedModels = (sources: readonly SourceFile[]): readonly string[] =>
  sources
    .filter(({ text }) => text.includes("ObjectSerializer"))
    .flatMap(({ text }) => firstGroups(text, /"(\w+)"/g));
