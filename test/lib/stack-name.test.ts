import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stackName } from "../../lib/stack-name.ts";

describe("the name of a cluster's stack", () => {
  it.each(["sample", "prod-eu-1", "A9"])(
    "has the cluster's name, so that an upgrade makes no other: %s",
    (cluster) => {
      expect(stackName(cluster)).toBe(`EksNodeLifecycle-${cluster}`);
    },
  );

  it("is another one for every cluster, underscores or not", () => {
    const names = ["a-b-c", "a_b_c", "a_b-c", "a-b_c"].map(stackName);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toContain("EksNodeLifecycle-a-b-c-b3f2d26e");
  });

  it("is in the name of the file that npm run synth says it has written", () => {
    const said = `The template is cdk.out/${stackName("sample")}.template.json`;
    expect(readFileSync("package.json", "utf8")).toContain(said);
  });

  it("is one that CloudFormation takes, however long the cluster's", () => {
    expect(stackName("a_".repeat(50))).toMatch(/^[A-Za-z][A-Za-z\d-]{0,127}$/);
  });
});
