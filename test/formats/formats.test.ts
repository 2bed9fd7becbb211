import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { productVersion } from "../../lambda/base/contract.ts";
import { type Example, examples, type Format, readAs } from "./examples.ts";

const folder = new URL("versions/", import.meta.url);
const versions = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
const recorded = (version: string) =>
  JSON.parse(readFileSync(new URL(`${version}.json`, folder), "utf8")) as readonly Example[];
const page = readFileSync("docs/development/formats.md", "utf8");

describe.each(versions)("what version %s has written", (version) => {
  it.each(recorded(version).map((one) => [one.format, one.name, one] as const))(
    "is read as it was then: %s, %s",
    (format, _, { written, read }) => {
      const now = readAs(format, written);

      // A later version may find more in it, and nothing else.
      if (typeof read === "object" && read !== null) expect(now).toMatchObject(read);
      else expect(now).toEqual(read);
    },
  );
});

it("what is left may be a sentence each in an older line", () => {
  const line = {
    at: "2026-11-20T12:00:00.000Z",
    kind: "pass-ended",
    left: ["demo/web: ending"],
    wait: 5000,
  };

  expect(readAs("journal line", JSON.stringify(line))).toMatchObject({
    left: [{ about: "", why: "demo/web: ending" }],
  });
});

describe("what this version writes", () => {
  it("is recorded, so that later versions are held to it: node test/formats/record.ts", () => {
    expect(examples()).toEqual(recorded(productVersion));
  });

  it("is read as something, in each of its formats", () => {
    for (const { format, name, read } of examples()) {
      expect(read, `${format}, ${name}`).not.toBeNull();
      expect(JSON.stringify(read), `${format}, ${name}`).not.toMatch(/unreadable|"none"\}$/);
    }
  });

  it("has a row in docs/development/formats.md, format by format", () => {
    const formats = new Set(examples().map(({ format }) => format));
    for (const format of formats) expect(page).toContain(`| ${format} |`);
  });

  it("has each annotation, label and tag of ours in docs/development/formats.md", () => {
    const keys = examples()
      .filter(({ format }) => /mark|tag/.test(format))
      .flatMap(
        ({ written }) => JSON.stringify(written).match(/eks-node-lifecycle\/[a-z-]+/g) ?? [],
      );

    expect(keys.length).toBeGreaterThan(20);
    for (const key of new Set(keys)) expect(page, key).toContain(`\`${key}`);
  });
});

describe("what nobody can read", () => {
  const told: readonly (readonly [Format, unknown, unknown])[] = [
    ["journal line", '{"at":"2026-11-20T12:00:00.000Z","kind":"of-another-version"}', null],
    ["trial tag", { "eks-node-lifecycle/verify": "another form" }, "unreadable"],
    ["repair tags", { "eks-node-lifecycle/repaired/i-1": "another form" }, []],
  ];

  it.each(told)("is no guess: %s", (format, written, read) => {
    expect(readAs(format, written)).toEqual(read);
  });

  it("of an upgrade says which tag it is", () => {
    const [under] = examples().filter(({ format }) => format === "upgrade tags");
    const tags = Object(under?.written) as Record<string, string>;
    const lost = Object.fromEntries(Object.entries(tags).filter(([key]) => !key.endsWith("-to")));

    expect(readAs("upgrade tags", lost)).toMatchObject({
      bookmark: { kind: "unreadable", key: expect.stringMatching(/-to$/) },
    });
  });

  it.each([
    ["upgrade message", '{"upgrade":"rewind","id":"0badcafe","group":"workers"}'],
    ["repair message", { kind: "mend" }],
    ["settings", { CLUSTER_NAME: "" }],
    ["custom resource", { RequestType: "Update" }],
  ] as const)("is refused with its place: %s", (format, written) => {
    expect(() => readAs(format, written)).toThrow(/expected|Expected|is missing|must/);
  });
});
