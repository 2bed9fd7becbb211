import { describe, expect, it } from "vitest";
import { withLiteralKeys } from "../../tools/bundle/plugins/aws-schemas.ts";

describe("the schemas of AWS", () => {
  it("get literal keys", () => {
    const text =
      'const _xN = "xmlName";\nconst _a = "b";\nexport var A = [0, { [_xN]: _a }, [_a, _xN]];\n';
    expect(withLiteralKeys(text)).toBe(text.replace("[_xN]:", '"xmlName":'));
  });

  it("fail the build when a key is something else", () => {
    expect(() => withLiteralKeys("export var A = { [_xN]: 1 };")).toThrow(
      "key _xN that is no text",
    );
  });
});
