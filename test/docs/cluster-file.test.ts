import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { clusterConfigJsonSchema } from "../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import { evictingSample } from "../support/evicting-sample.ts";
import { readMarkdown } from "./read-markdown.ts";

const keys = Object.keys(Object(clusterConfigJsonSchema()).properties);

/** The parts of a cluster's file that a page shows, such as `"drain": { "mode": "dry-run" }`. */
function partsIn(path: string): readonly string[] {
  const text = readFileSync(path, "utf8");
  const blocks = [...text.matchAll(/^ *```json\n([\s\S]*?)^ *```/gm)].map(([, body = ""]) => body);
  const spans = readMarkdown(text).code;
  return [...blocks, ...spans].filter((part) =>
    keys.some((key) => part.trim().startsWith(`"${key}": `)),
  );
}

const parts = ["README.md", ...globSync("docs/**/*.md")].flatMap((path) =>
  partsIn(path).map((part) => ({ path, part })),
);

it.each(parts)("the part of a cluster's file in $path fits there: $part", ({ part }) => {
  const file = { ...evictingSample, ...(JSON.parse(`{${part}}`) as object) };

  expect(() => readClusterConfig(JSON.stringify(file), "sample.json")).not.toThrow();
});

it("the pages show several parts of a cluster's file", () => {
  expect(parts.length).toBeGreaterThan(10);
});
