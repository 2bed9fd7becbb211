import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { type Resource, sample } from "../synthesised.ts";

/** The files of every function that the sample's stack has, as they are deployed. */
function deployed(): Readonly<Record<string, Readonly<Record<string, Buffer>>>> {
  const app = new App();
  const stack = new NodeLifecycleStack(app, "Sample", sample);
  const assembly = app.synth();
  const { Resources } = assembly.getStackArtifact(stack.artifactId).template as {
    Resources: Record<string, Resource>;
  };
  const functions = Object.entries(Resources).filter(
    ([, { Type }]) => Type === "AWS::Lambda::Function",
  );
  return Object.fromEntries(
    functions.map(([id, { Properties }]) => {
      const { S3Key } = Properties.Code as { S3Key: string };
      const folder = join(assembly.directory, `asset.${S3Key.replace(/\.zip$/, "")}`);
      const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]);
      return [id, Object.fromEntries(files) as Record<string, Buffer>];
    }),
  );
}

const leftovers = ["node", "access"].map((name) => join("dist", name, "index.cjs.4711"));

describe("a function's code", () => {
  beforeAll(() => {
    for (const file of leftovers) {
      mkdirSync(join(file, ".."), { recursive: true });
      writeFileSync(file, "half of a bundle");
    }
  });
  afterAll(() => {
    for (const file of leftovers) rmSync(file);
  });

  it.each([
    [/NodeFunction/, "dist/node"],
    [/AccessDeployer/, "dist/access"],
  ])("is all files of its bundle, and nothing that lies beside them (%s)", (id, folder) => {
    const [, files = {}] = Object.entries(deployed()).find(([name]) => id.test(name)) ?? [];
    const bundle = readdirSync(folder).filter((file) => file.endsWith(".cjs"));
    expect(bundle).toContain("index.cjs");
    expect(new Set(Object.keys(files))).toEqual(new Set(bundle));
    for (const file of bundle)
      expect(files[file]?.equals(readFileSync(join(folder, file))), file).toBe(true);
  });
});
