import { describe, expect, it } from "vitest";
import { Store } from "../../lambda/kubernetes/store.ts";

const pods = () => new Store<string>((name) => name);

describe("the stored state of a collection", () => {
  it("is the last list plus the events since", () => {
    const known = pods();
    known.replace(["a", "b"], 10);
    expect(known.all()).toEqual(["a", "b"]);
    expect(known.apply({ kind: "changed", item: "c", version: 11 })).toEqual(["c"]);
    expect(known.all()).toEqual(["a", "b", "c"]);
    expect(known.apply({ kind: "deleted", item: "a", version: 12 })).toEqual(["a", "a"]);
    expect(known.all()).toEqual(["b", "c"]);
  });

  it("does not change by events that the list already contains", () => {
    const known = pods();
    known.replace(["a"], 10);
    expect(known.apply({ kind: "deleted", item: "a", version: 10 })).toEqual([]);
    expect(known.apply({ kind: "changed", item: "b", version: 9 })).toEqual([]);
    expect(known.all()).toEqual(["a"]);
  });

  it("keeps newer additions and deletions when an older list comes", async () => {
    const known = pods();
    known.replace(["a"], 10);
    await known.during(async () => {
      known.apply({ kind: "changed", item: "late", version: 21 });
      known.apply({ kind: "deleted", item: "a", version: 22 });
      known.replace(["a", "b"], 20);
    });
    expect(known.all()).toEqual(["b", "late"]);
  });

  it("keeps deletions until the last of several lists is there, and after one that fails", async () => {
    const known = pods();
    const late = Promise.withResolvers<void>();
    const first = known.during(() => late.promise);
    const failed = known.during(() => Promise.reject(new Error("too late")));
    await expect(failed).rejects.toThrow("too late");
    known.apply({ kind: "changed", item: "a", version: 21 });
    known.apply({ kind: "deleted", item: "a", version: 22 });
    known.replace(["a", "b"], 21);
    expect(known.all()).toEqual(["b"]);
    late.resolve();
    await first;
    expect(known.all()).toEqual(["b"]);
  });

  it("keeps no deletion while no list is under way, for others may delete thousands of objects", async () => {
    const known = pods();
    const forgotten = (version: number) => {
      known.replace(["a"], version);
      return known.all();
    };
    known.apply({ kind: "changed", item: "a", version: 11 });
    known.apply({ kind: "deleted", item: "a", version: 13 });
    expect(forgotten(12)).toEqual(["a"]);
    await known.during(async () => {
      known.apply({ kind: "deleted", item: "a", version: 15 });
      expect(forgotten(13)).toEqual([]);
    });
    expect(forgotten(14)).toEqual(["a"]);
  });

  it("is replaced by a newer list, and loses what that list does not contain", () => {
    const known = pods();
    known.apply({ kind: "changed", item: "a", version: 11 });
    known.apply({ kind: "changed", item: "b", version: 12 });
    expect(known.all()).toEqual(["a", "b"]);
    known.replace(["c"], 12);
    expect(known.all()).toEqual(["c"]);
  });

  it("is not replaced by a list that is older than another list", () => {
    const known = pods();
    known.replace(["new"], 20);
    known.replace(["old"], 10);
    expect(known.all()).toEqual(["new"]);
  });
});
