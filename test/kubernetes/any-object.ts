import fc from "fast-check";
import { type Attribute, attributesOf } from "./client-models.ts";

// Mostly words that have a meaning somewhere, so that conditions and phases come true.
const words = [
  "True",
  "False",
  "Unknown",
  "Ready",
  "Running",
  "DisruptionAllowed",
  "AlwaysAllow",
  "NoSchedule",
  "Node",
  "v1",
  "kubernetes.io/config.mirror",
  "/var/lib/kubelet/plugins_registry",
  "10%",
  "",
];

const simple: Readonly<Record<string, () => fc.Arbitrary<unknown>>> = {
  any: () => fc.jsonValue({ maxDepth: 1 }),
  boolean: () => fc.boolean(),
  Date: () => fc.integer({ min: 0, max: 4e9 }).map((at) => new Date(at * 1000).toISOString()),
  IntOrString: () => fc.oneof(fc.constantFrom(...words), fc.nat()),
  number: () => fc.nat(),
  string: () => fc.constantFrom(...words),
};

const known = new Map<string, fc.Arbitrary<unknown>>();

/** Any value of a type of client-node as the API server could send it; each field may be absent. */
export function anyObject(type: string): fc.Arbitrary<unknown> {
  const found = known.get(type) ?? make(type);
  known.set(type, found);
  return found;
}

function make(type: string): fc.Arbitrary<unknown> {
  const [, element, value] = /^Array<(.*)>$|^\{ \[key: string\]: (.*); \}$/.exec(type) ?? [];
  if (element !== undefined) return fc.array(anyObject(element), { maxLength: 3 });
  if (value !== undefined) return fc.dictionary(fc.constantFrom(...words), anyObject(value));
  const plain = simple[type];
  if (plain !== undefined) return plain();
  return fc.record(Object.fromEntries(attributesOf(type).map(field)), {
    requiredKeys: required(type),
  });
}

const field = ({ baseName, type }: Attribute) => [baseName, anyObject(type)] as const;

// Without these an object is refused as a whole, and nothing else of it would be compared.
const required = (type: string): string[] =>
  ["metadata", "spec", "name", "namespace", "uid", "resourceVersion", "source"].filter((name) =>
    attributesOf(type).some(({ baseName }) => baseName === name),
  );
