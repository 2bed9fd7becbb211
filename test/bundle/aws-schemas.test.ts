import { describe, expect, it } from "vitest";
import { withKnownErrors } from "../../bundle/plugins/known-errors.ts";
import { withReadMembers } from "../../bundle/plugins/read-members.ts";

const source = `const _a = "First";
const _b = "Second";
const _c = "Third";
export var Thing$ = [3, n0, _T,
    0,
    [_a, _b, _c],
    [0, [() => List, { [_x]: \`a\`,
      [_y]: _b }], 64 | 0], 2
];
n0_registry.registerError(Lost$, Lost);
n0_registry.registerError(Found$, Found);
`;

describe("the schemas of a client", () => {
  it("keep the members that are read, in their order, and how many of these are required", () => {
    expect(withReadMembers(source, { Thing: ["Third", "Second"] })).toContain(`[_b, _c],
    [[() => List, { [_x]: \`a\`,
      [_y]: _b }], 64 | 0], 1
];`);
  });

  it("fail the build when they have no such structure, member or error", () => {
    expect(() => withReadMembers(source, { Other: [] })).toThrow("structure Other");
    expect(() => withReadMembers(source, { Thing: ["Fourth"] })).toThrow("no member Fourth");
    expect(() => withKnownErrors(source, ["Gone"])).toThrow("no error Gone");
  });

  it("register only the errors that are known", () => {
    const text = withKnownErrors(source, ["Lost"]);
    expect(text).toContain("registerError(Lost$");
    expect(text).not.toContain("registerError(Found$");
  });
});
