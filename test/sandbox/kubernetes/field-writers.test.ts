import { expect, it } from "vitest";
import { later, seconds } from "../../../lambda/base/time.ts";
import { withFieldWriters } from "../../../sandbox/kubernetes/field-writers.ts";
import type { JsonObject } from "../../../sandbox/kubernetes/json.ts";
import { wireTime } from "../../../sandbox/kubernetes/kube-time.ts";
import { noon } from "../../support/builders.ts";

const deployment = (replicas: number, annotations: JsonObject): JsonObject => ({
  metadata: { name: "web", annotations },
  spec: { replicas },
});

/** Writes an object's count and annotations by one manager after the other, a second later each. */
const writtenBy = (...all: readonly (readonly [string, number, JsonObject])[]): unknown => {
  const first = deployment(1, {});
  const last = all.reduce((before, [manager, replicas, annotations], index) => {
    const after = deployment(replicas, annotations);
    const { metadata } = before as { metadata: JsonObject };
    const managed = { ...after, metadata: { ...metadata, annotations } };
    return withFieldWriters(managed, { before, manager, at: later(noon, seconds(index)) });
  }, first);
  const { managedFields = [] } = last["metadata"] as { managedFields?: readonly JsonObject[] };
  return managedFields.map(({ manager, time, fieldsV1 }) => [manager, time, fieldsV1]);
};

const count = { "f:replicas": {} };
const at = (second: number) => wireTime(later(noon, seconds(second)));
const notes = (...keys: readonly string[]) => ({
  "f:annotations": Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});

it("a manager has the count and the annotations that it has changed", () => {
  const written = writtenBy(["a", 2, { x: "1", y: "1" }]);
  expect(written).toEqual([["a", at(0), { "f:spec": count, "f:metadata": notes("x", "y") }]]);
});

it("what another changes goes to that one, and what is as it was stays", () => {
  const written = writtenBy(["a", 2, { x: "1", y: "1" }], ["b", 2, { x: "2", y: "1" }]);
  expect(written).toEqual([
    ["a", at(0), { "f:spec": count, "f:metadata": notes("y") }],
    ["b", at(1), { "f:metadata": notes("x") }],
  ]);
});

it("what nobody has any more leaves no manager", () => {
  expect(writtenBy(["a", 1, { x: "1" }], ["b", 1, {}])).toEqual([]);
});
