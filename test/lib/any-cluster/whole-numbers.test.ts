import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wholeNumbers } from "../../../tools/generate/template/whole-numbers.ts";

const ranges = [
  [0, 0],
  [0, 9],
  [0, 300],
  [1, 20],
  [7, 7],
  [9, 10],
  [30, 1728],
  [99, 1001],
  [345, 5432],
].map(([least = 0, most = 0]) => ({ least, most }));

describe("the regular expression of a range", () => {
  it.each(ranges)("takes what is from $least to $most, and no other number", ({ least, most }) => {
    const form = new RegExp(wholeNumbers(least, most));
    const taken = Array.from({ length: 12_000 }, (_, one) => one).filter((one) =>
      form.test(String(one)),
    );
    expect(taken).toEqual(Array.from({ length: most - least + 1 }, (_, more) => least + more));
  });

  it("takes what is in any range, and nothing beside it", () => {
    const any = fc.nat(1_000_000);
    const inRange = fc.property(any, any, any, (one, other, tried) => {
      const [least, most] = one < other ? [one, other] : [other, one];
      const form = new RegExp(wholeNumbers(least, most));
      for (const number of [tried, least, most, least - 1, most + 1])
        expect(form.test(String(number))).toBe(number >= least && number <= most);
    });
    fc.assert(inRange);
  });

  it.each(["", "030", "30.0", "1e2", "+30", " 30", "30 ", "-30", "３０"])("takes no %j", (text) => {
    expect(new RegExp(wholeNumbers(30, 172_800)).test(text)).toBe(false);
  });
});
