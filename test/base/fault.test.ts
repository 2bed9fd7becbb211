import { describe, expect, it } from "vitest";
import { Fault, faultOf } from "../../lambda/base/fault.ts";

describe("a fault", () => {
  it("may be retried at any time by default", () => {
    const fault = new Fault("cluster.unreachable", "reading node a: gone", { cause: "wire" });
    expect(fault.retryWithin).toBe(Number.POSITIVE_INFINITY);
    expect(fault.within(20_000)).toMatchObject({
      code: "cluster.unreachable",
      message: "cluster.unreachable: reading node a: gone",
      retryable: true,
      retryWithin: 20_000,
      cause: "wire",
    });
  });

  it("can wrap anything that was thrown, and a fault stays unchanged", () => {
    const fault = new Fault("aws.denied", "describing i-1: no");
    expect(faultOf(fault)).toBe(fault);
    expect(faultOf(new TypeError("x is not a function"))).toMatchObject({
      code: "internal.unexpected",
      message: "internal.unexpected: TypeError: x is not a function",
    });
    expect(faultOf("text").message).toBe("internal.unexpected: text");
  });
});

it("a fault repeats its message in no field, for Lambda logs each of a thrown error", () => {
  const fault = new Fault("event.malformed", "a long reason");
  expect(fault.said).toBe("a long reason");
  expect(fault.within(5).said).toBe("a long reason");
  expect(Object.values(fault)).not.toContain("a long reason");
});
