import { expect, it } from "vitest";
import { later, minutes } from "../../lambda/base/time.ts";
import { countingOf } from "../../lambda/kubernetes/making-room/counting.ts";
import {
  labelOf,
  ofObject,
  recordAnnotation,
  recordLabel,
  recordText,
  tryRecord,
} from "../../lambda/making-room/record.ts";
import { noon } from "../support/builders.ts";

const uid = "0badcafe-1";
const up = {
  phase: "up",
  was: 1,
  is: 2,
  since: noon,
  until: later(noon, minutes(9)),
  why: "a",
} as const;
const text = `${recordText(up)} ${ofObject(uid)}`;
const copy = `${recordText(up)} ${ofObject("deadbeef-1")}`;
const writes = (key: string) => ({
  "f:metadata": { "f:annotations": { ".": {}, [`f:${key}`]: {} } },
});
const by = (manager: string, key = recordAnnotation) => ({ manager, fieldsV1: writes(key) });

it.each([
  ["nobody remembers", [], true],
  ["this product has written", [by("eks-node-lifecycle")], true],
  [
    "this product has written, and others apply as it is",
    [by("argocd"), by("eks-node-lifecycle")],
    true,
  ],
  [
    "was nobody's when somebody first applied it",
    [by("before-first-apply"), by("flux", "x")],
    true,
  ],
  ["is among the oldest that are put together", [by("ancient-changes")], true],
  ["`kubectl rollout undo` has brought back", [by("kubectl")], false],
  ["nobody remembers beside another annotation", [by("kubectl", "example.com/team")], true],
  ["an owner without fields remembers", [{ manager: "kubectl" }], true],
])("a record that %s counts: %o", (_, managedFields, counts) => {
  const labels = { [recordLabel]: labelOf(text) };
  const annotations = { [recordAnnotation]: text };
  const found = countingOf("Deployment", { uid, labels, annotations, managedFields });
  expect(tryRecord(found.annotations) !== undefined).toBe(counts);
  expect(found.isLabelled).toBe(true);
});

it.each([
  [text, labelOf(text), true],
  ["", labelOf(text), true],
  ["many", labelOf(text), true],
  [copy, labelOf(text), false],
  [copy.replace("up:", "none:"), labelOf(text), true],
  [text, "recorded", false],
  [text, "", false],
])("an object with the record %j and the label %j is one of ours: %o", (record, label, isOurs) => {
  const labels = { [recordLabel]: label };
  const annotations = { [recordAnnotation]: record };
  expect(countingOf("Deployment", { uid, labels, annotations }).isLabelled).toBe(isOurs);
});

const applied = (metadata: object | null) => ({
  annotations: {
    "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify({
      kind: "Deployment",
      metadata,
    }),
  },
});
const labelled = { "f:metadata": { "f:labels": { [`f:${recordLabel}`]: {} } } };

it.each([
  ["nothing of it", {}, false],
  [
    "its annotation, which is applied",
    applied({ annotations: { [recordAnnotation]: text } }),
    true,
  ],
  ["its label, which is applied", applied({ labels: { [recordLabel]: "a" } }), true],
  ["its word elsewhere", applied({ annotations: { team: recordAnnotation } }), false],
  [
    "something that is no JSON",
    {
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": `{"${recordAnnotation}"` },
    },
    false,
  ],
  ["no metadata", applied(null), false],
  ["another annotation", applied({ annotations: { [`${recordAnnotation}-not`]: "a" } }), false],
  [
    "its annotation, which a server-side apply keeps",
    { managedFields: [{ ...by("flux"), operation: "Apply" }] },
    true,
  ],
  [
    "its label, which a server-side apply keeps",
    { managedFields: [{ manager: "flux", operation: "Apply", fieldsV1: labelled }] },
    true,
  ],
  [
    "what this product has written",
    { managedFields: [{ ...by("a"), operation: "Update" }] },
    false,
  ],
  ["fields that nobody names", { managedFields: [{ operation: "Apply" }] }, false],
])("a manifest with %s declares the record of a surge, or not: %o", (_, metadata, declares) => {
  expect(countingOf("Deployment", { uid, ...metadata }).isDeclared).toBe(declares);
});
