import { describe, expect, it } from "vitest";
import { Store } from "../../../../lambda/adapters/kubernetes/watch/store.ts";

const pods = () => new Store<string>((name) => name);

describe("what is known of a collection", () => {
  it("is what a list said, with what events said since", () => {
    const known = pods();
    known.list(["a", "b"], 10);
    expect(known.all()).toEqual(["a", "b"]);
    expect(known.hear({ kind: "changed", item: "c", version: 11 })).toBe("news");
    expect(known.all()).toEqual(["a", "b", "c"]);
    expect(known.hear({ kind: "deleted", item: "a", version: 12 })).toBe("news");
    expect(known.all()).toEqual(["b", "c"]);
  });

  it("is not changed by events that the list has in it", () => {
    const known = pods();
    known.list(["a"], 10);
    expect(known.hear({ kind: "deleted", item: "a", version: 10 })).toBe("known");
    expect(known.hear({ kind: "changed", item: "b", version: 9 })).toBe("known");
    expect(known.all()).toEqual(["a"]);
  });

  it("is not forgotten over a list of before, be it of items that came or that went", () => {
    const known = pods();
    known.list(["a"], 10);
    known.hear({ kind: "changed", item: "late", version: 21 });
    known.hear({ kind: "deleted", item: "a", version: 22 });
    known.list(["a", "b"], 20);
    expect(known.all()).toEqual(["b", "late"]);
  });

  it("is replaced by a list of later, with all that it does not have", () => {
    const known = pods();
    known.hear({ kind: "changed", item: "a", version: 11 });
    known.hear({ kind: "changed", item: "b", version: 12 });
    expect(known.all()).toEqual(["a", "b"]);
    known.list(["c"], 12);
    expect(known.all()).toEqual(["c"]);
  });

  it("is not replaced by a list that was overtaken by another", () => {
    const known = pods();
    known.list(["new"], 20);
    known.list(["old"], 10);
    expect(known.all()).toEqual(["new"]);
  });
});
