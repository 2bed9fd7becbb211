import { describe, expect, it } from "vitest";
import { watchEventOf } from "../../lambda/kubernetes/watch-once.ts";

const object = { kind: "Pod", metadata: { name: "web-1", resourceVersion: "42" }, spec: { a: 1 } };
const nonsense = { kind: "error", code: 0, message: "an event of a watch that makes no sense" };

describe("an event of a watch", () => {
  it.each([
    ["ADDED", "changed"],
    ["MODIFIED", "changed"],
    ["DELETED", "deleted"],
  ])("%s carries the whole object that was %s", (type, kind) => {
    expect(watchEventOf({ type, object })).toMatchObject({ kind, version: "42", object });
  });

  it("BOOKMARK says how far the watch has come", () => {
    expect(watchEventOf({ type: "BOOKMARK", object })).toEqual({ kind: "bookmark", version: "42" });
  });

  it("BOOKMARK with the annotation for it says that all initial objects have been sent", () => {
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: "42", annotations };
    expect(watchEventOf({ type: "BOOKMARK", object: { metadata } })).toEqual({
      kind: "synced",
      version: "42",
    });
    expect(watchEventOf({ type: "ADDED", object: { metadata } }).kind).toBe("changed");
  });

  it("BOOKMARK is still one if its annotations cannot be read", () => {
    const metadata = { resourceVersion: "42", annotations: ["k8s.io/initial-events-end"] };
    expect(watchEventOf({ type: "BOOKMARK", object: { metadata } }).kind).toBe("bookmark");
  });

  it("ERROR ends the watch, with its code and message if they are sent", () => {
    const gone = { kind: "Status", code: 410, message: "too old resource version: 1 (42)" };
    expect(watchEventOf({ type: "ERROR", object: gone })).toEqual({
      kind: "error",
      code: 410,
      message: "too old resource version: 1 (42)",
    });
    expect(watchEventOf({ type: "ERROR", object: { code: "410", message: null } })).toEqual({
      kind: "error",
      code: 0,
      message: "",
    });
  });

  it.each([
    null,
    undefined,
    "ADDED",
    [],
    {},
    { type: "ADDED" },
    { type: "ADDED", object: {} },
    { type: "ADDED", object: { metadata: {} } },
    { type: "MODIFIED", object: { metadata: { resourceVersion: 42 } } },
    { type: "RENAMED", object },
    { type: "ERROR" },
  ])("that makes no sense ends the watch: %j", (line) => {
    expect(watchEventOf(line)).toEqual(nonsense);
  });
});
