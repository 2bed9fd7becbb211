import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack, type StackConfig } from "../../lib/node-lifecycle-stack.ts";
import { everythingOn } from "./everything-on.ts";
import { sample } from "./synthesised.ts";

const { groupTag: _, ...byName } = everythingOn;

/** Synthesises a stack as `bin/app.ts` does, and gives what stops it. */
function refusalOf(change: Partial<StackConfig>): string {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    new NodeLifecycleStack(app, "Sample", { ...sample, ...byName, ...change });
    app.synth();
    return "";
  } catch (cause) {
    return String(cause);
  }
}

const longest = "a b".padEnd(255, "c");

const made: readonly string[] = [
  ...["AutoScaling 2", "two  blanks", "a/b", "/a", "a\\b", "it's", 'a"b', "50%", "a$b", "$"],
  ...["a[1]", "a]b[c", "a(b)", "a)", "{a}", "}{", "<a&b>", "a=b+c_d.e-f", "a@b|c~d!e^f`g#;,"],
  ...["x".repeat(255), longest],
];

describe("the name of a group", () => {
  it.each(made)("may be %j, with everything on", (name) => {
    expect(refusalOf({ groups: [name] })).toBe("");
    expect(readClusterConfig(textWith([name]), "demo.json").groups).toEqual([name]);
  });

  it("may differ from another by a character that ids cannot have", () => {
    expect(refusalOf({ groups: ["a b", "a-b", "a/b", "a.b", "ab", "a  b", "A b"] })).toBe("");
  });

  it.each([
    ...[
      " a",
      "a ",
      "",
      "a:b",
      "a*",
      "a?",
      "a\u{10}b",
      ["$", "{aws:username}"].join(""),
      "gruppe-ä",
      "組",
    ],
    ...["a\tb", "a\nb", "x".repeat(256)],
  ])("may not be %j, and the refusal names it and its place", (name) => {
    const place = /demo\.json.*groups\.0/s;
    expect(() => readClusterConfig(textWith([name]), "demo.json")).toThrow(place);
    expect(refusalOf({ groups: [name] })).toContain(JSON.stringify(name));
  });
});

const textWith = (groups: readonly string[]): string =>
  JSON.stringify({ cluster: sample.cluster, groups, nodeRoleArns: sample.nodeRoleArns });

it.each(["a b", "a/b", "it's", "a[b]", "{a}", "a.b@c:d", "tägs", "k".repeat(128)])(
  "a tag of groups may be %j",
  (key) => {
    expect(refusalOf({ groups: [], groupTag: { key, value: key } })).toBe("");
  },
);
