import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sideBySide } from "../../lambda/base/side-by-side.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to, and what has begun so far. */
function heldWork() {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const work = (item: string): Promise<string> => {
    begun.push(item);
    const end = Promise.withResolvers<string>();
    ends.set(item, end);
    return end.promise;
  };
  return {
    begun,
    work,
    async end(item: string) {
      ends.get(item)?.resolve(`${item} is done`);
      await settle();
    },
    async fail(item: string) {
      ends.get(item)?.reject(new RangeError(item));
      await settle();
    },
  };
}

describe("work side by side", () => {
  it("begins with as many items as may be under way, and with the next as soon as one is done", async () => {
    const { begun, work, end } = heldWork();
    void sideBySide(["a", "b", "c", "d"], 2, work);
    await settle();
    expect(begun).toEqual(["a", "b"]);
    await end("b");
    expect(begun).toEqual(["a", "b", "c"]);
    await end("c");
    expect(begun).toEqual(["a", "b", "c", "d"]);
  });

  it("fails as soon as one item does, and begins with no further one", async () => {
    const { begun, work, end, fail } = heldWork();
    const done = sideBySide(["a", "b", "c", "d"], 2, work);
    const failure = expect(done).rejects.toEqual(new RangeError("a"));
    await fail("a");
    await failure;
    await end("b");
    expect(begun).toEqual(["a", "b"]);
  });

  it("never has more under way than it may, and returns all results in the order of the items", async () => {
    const lengths = fc.array(fc.nat(5), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 8 }), async (rounds, atOnce) => {
        let [underWay, most] = [0, 0];
        const results = await sideBySide([...rounds.entries()], atOnce, async ([place, length]) => {
          underWay += 1;
          most = Math.max(most, underWay);
          for (let round = 0; round <= length; round += 1) await Promise.resolve();
          underWay -= 1;
          return place;
        });
        expect(results).toEqual([...rounds.keys()]);
        expect(most).toBe(Math.min(atOnce, rounds.length));
      }),
    );
  });
});
