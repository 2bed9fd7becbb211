import { describe, expect, it } from "vitest";
import { withKnownErrors } from "../../tools/bundle/plugins/aws-schemas.ts";

const source = `n0_registry.registerError(Lost$, Lost);
n0_registry.registerError(Found$, Found);
`;

describe("the schemas of a client", () => {
  it("register only the errors that are known", () => {
    const text = withKnownErrors(source, ["Lost"]);
    expect(text).toContain("registerError(Lost$");
    expect(text).not.toContain("registerError(Found$");
  });

  it("fail the build when they have no such error", () => {
    expect(() => withKnownErrors(source, ["Gone"])).toThrow("no error Gone");
  });
});
