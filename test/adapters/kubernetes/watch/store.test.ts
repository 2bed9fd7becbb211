import { describe, expect, it } from "vitest";
import { Store } from "../../../../lambda/adapters/kubernetes/watch/store.ts";

const pods = () => new Store<string>((name) => name);

describe("what is known of a collection", () => {
  it("is what a list said, with what events said since", () => {
    const known = pods();
    known.replace(["a", "b"], 10);
    expect(known.all()).toEqual(["a", "b"]);
    expect(known.apply({ kind: "changed", item: "c", version: 11 })).toBe("news");
    expect(known.all()).toEqual(["a", "b", "c"]);
    expect(known.apply({ kind: "deleted", item: "a", version: 12 })).toBe("news");
    expect(known.all()).toEqual(["b", "c"]);
  });

  it("is not changed by events that the list has in it", () => {
    const known = pods();
    known.replace(["a"], 10);
    expect(known.apply({ kind: "deleted", item: "a", version: 10 })).toBe("known");
    expect(known.apply({ kind: "changed", item: "b", version: 9 })).toBe("known");
    expect(known.all()).toEqual(["a"]);
  });

  it("is not forgotten over a list of before, be it of items that came or that went", () => {
    const known = pods();
    known.replace(["a"], 10);
    known.apply({ kind: "changed", item: "late", version: 21 });
    known.apply({ kind: "deleted", item: "a", version: 22 });
    known.replace(["a", "b"], 20);
    expect(known.all()).toEqual(["b", "late"]);
  });

  it("is replaced by a list of later, with all that it does not have", () => {
    const known = pods();
    known.apply({ kind: "changed", item: "a", version: 11 });
    known.apply({ kind: "changed", item: "b", version: 12 });
    expect(known.all()).toEqual(["a", "b"]);
    known.replace(["c"], 12);
    expect(known.all()).toEqual(["c"]);
  });

  it("is not replaced by a list that was overtaken by another", () => {
    const known = pods();
    known.replace(["new"], 20);
    known.replace(["old"], 10);
    expect(known.all()).toEqual(["new"]);
  });
});
