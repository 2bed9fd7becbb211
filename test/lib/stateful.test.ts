import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allStateful, type Stateful } from "./stateful.ts";

/** The resources that a later version replaces or lets go, by logical id: why, and what becomes of the messages in it. */
const replaced: Readonly<Record<string, string>> = {};

const folder = new URL("stateful/", import.meta.url);
const recorded = (file: string) =>
  JSON.parse(readFileSync(new URL(file, folder), "utf8")) as ReturnType<typeof allStateful>;
const now = allStateful();

describe.each(readdirSync(folder))("what the stack of %s has deployed", (file) => {
  it.each(["sample", "everything on"] as const)(
    "keeps its logical ids and its names, unless a line says why not: %s",
    (which) => {
      const before = Object.entries<Stateful[string]>(recorded(file)[which]);
      const kept = before.filter(([id]) => replaced[id] === undefined);

      expect(kept.length).toBeGreaterThan(10);
      expect(now[which]).toMatchObject(Object.fromEntries(kept));
    },
  );
});

it("a line about a replacement is about a resource that a version has deployed", () => {
  const known = readdirSync(folder).flatMap((file) =>
    Object.values(recorded(file)).flatMap((all) => Object.keys(all)),
  );

  expect(Object.keys(replaced).filter((id) => !known.includes(id))).toEqual([]);
});
