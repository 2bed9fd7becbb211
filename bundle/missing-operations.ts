import { firstGroups } from "./first-groups.ts";
import type { SourceFile } from "./function-sources.ts";
import { methodsOf } from "./generated-classes.ts";
import type { Operations } from "./operations.ts";

const call = /[.](\w+)\s*(?:<[^()]*>)?\(/g;
const clientNodeImport = /import (?:type )?\{([^}]*)\} from "@kubernetes\/client-node"/g;
const generatedClass = /^export class Object(\w+Api) /gm;

/** What the functions use of client-node although it is not deployed, one sentence for each name. */
export function missingOperations(
  sources: readonly SourceFile[],
  layer: string,
  operations: Operations,
): readonly string[] {
  const apis = new Set(firstGroups(layer, generatedClass));
  const known = new Set(methodsOf(layer).map(({ name }) => name));
  const kept = new Set(Object.values(operations).flat().flatMap(bothForms));
  const unlisted = (name: string): boolean =>
    (apis.has(name) && !(name in operations)) || (known.has(name) && !kept.has(name));
  return sources.flatMap(({ path, text }) =>
    [...importedNames(text), ...firstGroups(text, call)]
      .filter(unlisted)
      .map((name) => `${path} uses ${name} of client-node: list it in bundle/operations.ts`),
  );
}

const bothForms = (operation: string): readonly string[] => [operation, `${operation}WithHttpInfo`];

const importedNames = (text: string): readonly string[] =>
  firstGroups(text, clientNodeImport)
    .flatMap((names) => names.split(","))
    .map((name) => name.replace(/^\s*type\s/, "").trim());
