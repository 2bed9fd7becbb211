import * as clientNode from "@kubernetes/client-node";
import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetOf } from "../../lambda/kubernetes/budget-of.ts";
import { attachmentOf } from "../../lambda/kubernetes/collections.ts";
import { nodeOf } from "../../lambda/kubernetes/node-of.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { kubeObject } from "./kube-object.ts";

/** A field of a model: its name as it is sent, and its type. */
interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

const isModel = (value: unknown): value is Model =>
  typeof value === "function" && "getAttributeTypeMap" in value;

/** The fields of a model of client-node. */
function attributesOf(type: string): readonly Attribute[] {
  const model: unknown = Reflect.get(clientNode, type);
  if (!isModel(model)) throw new Error(`no such type in client-node: ${type}`);
  return model.getAttributeTypeMap();
}

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
function anyObject(type: string): fc.Arbitrary<unknown> {
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

const readers: readonly [string, (sent: unknown) => unknown][] = [
  ["V1Node", (sent) => nodeOf(kubeObject(sent))],
  ["V1Pod", (sent) => podOf(kubeObject(sent))],
  ["V1PodDisruptionBudget", (sent) => budgetOf(kubeObject(sent))],
  ["V1VolumeAttachment", (sent) => attachmentOf(kubeObject(sent))],
];

/** What an object means to the domain, or what is wrong with it. */
function read(reader: (sent: unknown) => unknown, sent: unknown): unknown {
  try {
    return reader(sent);
  } catch (cause) {
    return String(cause);
  }
}

describe("an object as the API server sends it", () => {
  it.each(readers)("means the same as read by client-node's model (%s)", (model, reader) => {
    fc.assert(
      fc.property(anyObject(model), (object) => {
        const modelled = ObjectSerializer.deserialize(kubeObject(object), model, "");
        expect(read(reader, object)).toEqual(read(reader, modelled));
      }),
    );
  });
});
