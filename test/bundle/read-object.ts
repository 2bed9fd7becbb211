import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";
import { attachmentOf } from "../../lambda/adapters/kubernetes/objects/attachment-of.ts";
import { budgetOf } from "../../lambda/adapters/kubernetes/objects/budget-of.ts";
import { nodeOf } from "../../lambda/adapters/kubernetes/objects/node-of.ts";
import { podOf } from "../../lambda/adapters/kubernetes/objects/pod-of.ts";

const readers = [
  ["V1Node", nodeOf],
  ["V1Pod", podOf],
  ["V1PodDisruptionBudget", budgetOf],
  ["V1VolumeAttachment", attachmentOf],
] as const;

/** The models that become values of the domain. */
export const modelsRead = readers.map(([model]) => model);

/** Reads an object as the API server sends it: what it means to the domain, or what is wrong with it. */
export function readObject(model: string, text: string): unknown {
  const read = readers.find(([name]) => name === model)?.[1];
  if (read === undefined) throw new Error(`nothing reads a ${model}`);
  try {
    return read(ObjectSerializer.deserialize(JSON.parse(text), model, ""));
  } catch (cause) {
    return String(cause);
  }
}
