import { describe, expect, it } from "vitest";
import { toldReasons } from "../../journal/reasons.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";

describe("the reasons for drains", () => {
  it("are told by the journal as the functions know them, each once", () => {
    const known = drainReasons.map(({ reason }) => reason);
    expect(new Set(toldReasons)).toEqual(new Set(known));
    expect(toldReasons).toHaveLength(known.length);
    expect(new Set(known).size).toBe(known.length);
  });
});
