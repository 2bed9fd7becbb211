import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readStatus } from "../../lambda/kubernetes/refused-request.ts";

const nothing = { causes: [], kind: "", retryAfterSeconds: 0 };

describe("the body of a refusal", () => {
  it("is read as a Status", () => {
    const causes = [{ reason: "DisruptionBudget", message: "web-pdb", field: "spec" }];
    const details = { name: "web-1", kind: "pods", causes, retryAfterSeconds: 10 };
    expect(readStatus(JSON.stringify({ kind: "Status", message: "no", details }))).toEqual({
      message: "no",
      kind: "pods",
      causes: [{ reason: "DisruptionBudget", message: "web-pdb" }],
      retryAfterSeconds: 10,
    });
  });

  it("is read as far as it makes sense", () => {
    const details = { kind: 5, causes: [{}, { reason: 7, message: null }], retryAfterSeconds: "1" };
    expect(readStatus(JSON.stringify({ kind: "Status", message: 5, details }))).toEqual({
      message: "",
      kind: "",
      causes: [
        { reason: "", message: "" },
        { reason: "", message: "" },
      ],
      retryAfterSeconds: 0,
    });
    expect(readStatus('{"kind":"Status","details":{"causes":"none"}}')).toEqual({
      message: "",
      ...nothing,
    });
  });

  it.each([
    '{"kind":"Status"}',
    '{"kind":"Status","details":null}',
    '{"kind":"Status","details":7}',
  ])("may be without a message: %s", (body) => {
    expect(readStatus(body)).toEqual({ message: "", ...nothing });
  });

  it.each(["Too many requests", "", "[]", "null", '{"kind":"Pod","message":"no"}', "{nope"])(
    "that is no Status is only a message: %j",
    (body) => {
      expect(readStatus(body)).toEqual({ message: body, ...nothing });
    },
  );

  it("is reported on one line of limited length, whatever it is", () => {
    const anyText = fc
      .array(fc.constantFrom("busy", "x".repeat(300), " ", "\n", "\r\n", "\t", "\u2028"))
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(anyText, (text) => {
        for (const body of [text, JSON.stringify({ kind: "Status", message: text })]) {
          const { message } = readStatus(body);
          expect(message).not.toMatch(/[\n\r\u2028]/);
          expect(message.length).toBeLessThanOrEqual(1000);
        }
      }),
    );
    expect(readStatus("  busy,\n\n come\tback ").message).toBe("busy, come back");
    expect(readStatus("x".repeat(1001)).message).toBe("x".repeat(1000));
  });
});
