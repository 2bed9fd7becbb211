import { firstGroups } from "./first-groups.ts";

/** The source of a model of client-node, by its name; `undefined` when there is none. */
export type ModelSource = (name: string) => string | undefined;

// The types that ObjectSerializer passes through unchanged, or handles by itself.
const simple: ReadonlySet<string> = new Set([
  "any",
  "boolean",
  "Date",
  "double",
  "float",
  "integer",
  "IntOrString",
  "long",
  "number",
  "string",
  "V1MicroTime",
]);

/** The type inside a list, a map or an optional, such as `V1Pod` in `Array<V1Pod>`. */
function innermost(type: string): string {
  const inner = /^Array<(.*)>$|^\{ \[key: string\]: (.*); \}$|^(.*) \| (?:null|undefined)$/.exec(
    type,
  );
  const found = inner?.slice(1).find((group) => group !== undefined);
  return found === undefined ? type : innermost(found);
}

const attributes = /^ {8}"type": "(.+)",$/gm;

function attributeTypes(name: string, source: string): readonly string[] {
  if (!source.includes(`\n${name}.discriminator = undefined;\n`)) {
    throw new Error(`model ${name} of client-node has a discriminator, or another form than known`);
  }
  return firstGroups(source, attributes);
}

/** All models that values of the given types can contain; throws for an unknown type. */
export function reachableModels(
  types: readonly string[],
  sourceOf: ModelSource,
): ReadonlySet<string> {
  const reached = new Set<string>();
  const ahead = types.map(innermost);
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    if (simple.has(name) || reached.has(name)) continue;
    const source = sourceOf(name);
    if (source === undefined) throw new Error(`client-node has no model ${name}`);
    reached.add(name);
    ahead.push(...attributeTypes(name, source).map(innermost));
  }
  return reached;
}
