import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { budgetOf } from "../../lambda/kubernetes/budget-of.ts";
import { attachmentOf } from "../../lambda/kubernetes/collections.ts";
import { nodeOf } from "../../lambda/kubernetes/node-of.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { anyObject } from "./any-object.ts";
import { kubeObject } from "./kube-object.ts";

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
