import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { withNamedMembers } from "../../tools/bundle/plugins/named-members.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";

const names = `const _I = "Instance";
const _II = "InstanceId";
const _KN = "KeyName";
const _M = "Monitoring";
`;
const answer = `export var Instance$ = [3, n0, _I,
    0,
    [_KN, _II, _M],
    [[0, { [_xN]: "a, ]b" }], [() => Id, { [_q]: \`c,}\`, [_xN]: _iI }], 2], 2
];
`;

describe("the members of an AWS structure", () => {
  it("stay with their types, and with how many are required, where something names them", () => {
    const text = withNamedMembers(`${names}${answer}`, new Set(["InstanceId", "Monitoring"]));
    expect(text).toContain(
      "export var Instance$ = [3, n0, _I, 0, [_II, _M], [[() => Id, { [_q]: `c,}`, [_xN]: _iI }], 2], 1];",
    );
  });

  it("all go where nothing names one", () => {
    const text = withNamedMembers(`${names}${answer}`, new Set());
    expect(text).toContain("export var Instance$ = [3, n0, _I, 0, [], [], 0];");
  });

  it("all stay in what an operation takes, in its members and in the items of its lists", () => {
    const source = `${names}var Instances = [1, n0, _I,
    0, [() => Instance$,
        0]
];
export var Input$ = [3, n0, _I,
    0,
    [_M],
    [() => Instances]
];
export var Put$ = [9, n0, _I,
    0, () => Input$, () => __Unit
];
${answer}`;
    expect(withNamedMembers(source, new Set())).toBe(source);
  });

  it("all stay in an error and in a union", () => {
    const source = `${names}export var Lost$ = [-3, n0, _I,
    { [_e]: _c },
    [_KN],
    [0]
];
export var Either$ = [4, n0, _I,
    0,
    [_KN],
    [0]
];
`;
    expect(withNamedMembers(source, new Set())).toBe(source);
  });

  it("fail the build when they read otherwise", () => {
    expect(() => withNamedMembers(answer, new Set())).toThrow("member _KN that is no text");
    const short = `${names}export var Instance$ = [3, n0, _I, 0, [_KN, _II], [0]];\n`;
    expect(() => withNamedMembers(short, new Set())).toThrow("has 2 members and 1 types");
  });

  it("all stay in the policy of a group, which an upgrade reads and sends back", () => {
    const path = "node_modules/@aws-sdk/client-auto-scaling/dist-es/schemas/schemas_0.js";
    const source = readFileSync(join(projectRoot, path), "utf8");
    const text = withNamedMembers(source, new Set());
    for (const name of ["MixedInstancesPolicy", "LaunchTemplateOverrides", "InstanceRequirements"])
      expect(structure(text, name)).toBe(structure(source, name));
    expect(structure(text, "AutoScalingGroup")).not.toBe(structure(source, "AutoScalingGroup"));
  });
});

/** The text of a structure in the schemas of a client. */
function structure(source: string, name: string): string {
  const [, found = ""] = source.split(`export var ${name}$ = [3,`);
  expect(found).not.toBe("");
  return found.slice(0, found.indexOf("];"));
}
