import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import {
  type GroupTarget,
  type Leavers,
  lossOf,
  type TargetGroupHealth,
  type TargetLoss,
} from "../../lambda/group/target-loss.ts";

type State = GroupTarget["state"];

const id = (index: number) => instanceId(`i-${index}`);

/** A target group of instances: a state for each, in order. */
const instances = (...states: readonly State[]): TargetGroupHealth => ({
  id: "0a1b2c3d",
  name: "web",
  kind: "instance",
  targets: states.map((state, index) => ({ id: id(index), state })),
});

/** What is lost if the first instance goes, in a group of as many instances as there are targets. */
function lossIn(
  group: TargetGroupHealth,
  { enough, more = [], own }: { enough: number; more?: readonly number[]; own?: number },
): TargetLoss {
  const members = Array.from({ length: own ?? group.targets.length }, (_, index) => id(index));
  return lossOf(
    { groups: [group], unread: 0 },
    {
      ids: new Set([id(0)]),
      own: new Set([...members, ...more.map(id)]),
      coming: new Set(more.map(id)),
      enough,
      unawaited: new Set(),
    },
  );
}

const unread = "load balancers have not answered about 7 target groups yet";
const leavers: Leavers = {
  ids: new Set([id(0)]),
  own: new Set([id(0), id(1)]),
  coming: new Set(),
  enough: 1,
  unawaited: new Set(),
};

describe("what target groups lose if an instance goes", () => {
  it.each<[readonly State[], number, TargetLoss["kind"]]>([
    [["serving", "serving"], 1, "none"],
    [["serving", "serving"], 2, "unavoidable"],
    [["serving", "initial"], 1, "avoidable"],
    [["serving", "serving", "initial"], 1, "none"],
    [["serving", "serving", "initial"], 2, "avoidable"],
    [["serving", "other"], 1, "unavoidable"],
    [["other", "initial"], 1, "none"],
    [["initial", "initial"], 1, "none"],
  ])("is, with targets that are %j and %d needed: %s", (states, enough, kind) => {
    expect(lossIn(instances(...states), { enough }).kind).toBe(kind);
  });

  it("is avoidable while a controller has not registered an instance", () => {
    expect(lossIn(instances("serving"), { enough: 1, more: [7] }).kind).toBe("avoidable");
    expect(lossIn(instances("serving", "serving"), { enough: 1, more: [7] }).kind).toBe("none");
  });

  it("does not count targets of other groups, nor one that waits on another port", () => {
    expect(lossIn(instances("serving", "serving"), { enough: 1, own: 1 }).kind).toBe("unavoidable");
    expect(lossIn(instances("serving", "initial"), { enough: 1, own: 1 }).kind).toBe("unavoidable");
    const ports: TargetGroupHealth = {
      ...instances("serving", "serving"),
      targets: [...instances("serving", "serving").targets, { id: id(1), state: "initial" }],
    };
    expect(lossIn(ports, { enough: 1, own: 2 }).kind).toBe("avoidable");
  });

  it("says what it waits for", () => {
    expect(lossIn(instances("serving", "initial"), { enough: 1 })).toEqual({
      kind: "avoidable",
      groups: ["0a1b2c3d"],
      reasons: [
        "target group web would have 0 healthy instances, and 1 of the others is still initial",
      ],
    });
  });

  it.each<[readonly State[], TargetLoss["kind"]]>([
    [["serving", "serving"], "unavoidable"],
    [["serving", "initial"], "avoidable"],
    [["initial", "initial"], "none"],
    [["other", "initial"], "none"],
  ])("is, with pods as targets that are %j: %s", (states, kind) => {
    const targets = states.map((state, index) => ({ id: `10.0.0.${index}`, state }));
    const group: TargetGroupHealth = { id: "0a1b2c3d", name: "web", kind: "ip", targets };
    const loss = lossOf(
      { groups: [group], unread: 0 },
      {
        ids: new Set(["10.0.0.0"]),
        own: new Set(),
        coming: new Set(),
        enough: 1,
        unawaited: new Set(),
      },
    );
    expect(loss.kind).toBe(kind);
  });

  it.each<[readonly State[], TargetLoss]>([
    [["serving", "serving"], { kind: "unread", reasons: [unread] }],
    [["other", "other"], { kind: "unread", reasons: [unread] }],
  ])(
    "is unknown while load balancers have not answered about some, beside targets that are %j",
    (states, loss) => {
      expect(lossOf({ groups: [instances(...states)], unread: 7 }, leavers)).toEqual(loss);
    },
  );

  it("is avoidable by what load balancers have answered, whatever is unread", () => {
    const groups = [instances("serving", "initial")];
    expect(lossOf({ groups, unread: 7 }, leavers).kind).toBe("avoidable");
  });

  it("is avoidable by waiting for no other target groups than those that are awaited", () => {
    const state = fc.constantFrom<State>("initial", "other", "serving");
    const aGroup = fc.record({
      name: fc.constant("web"),
      kind: fc.constantFrom("instance" as const, "ip" as const),
      targets: fc
        .array(state)
        .map((states) => states.map((one, index) => ({ id: id(index), state: one }))),
      isAwaited: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(aGroup), fc.nat(5), (made, enough) => {
        const groups = made.map((group, index) => ({ ...group, id: `group-${index}` }));
        const members = {
          ids: new Set([id(0)]),
          own: new Set(Array.from({ length: 9 }, (_, index) => id(index))),
          coming: new Set<InstanceId>(),
          enough,
        };
        const lossWithout = (unawaited: ReadonlySet<string>) =>
          lossOf({ groups, unread: 0 }, { ...members, unawaited });
        const namedIn = (loss: TargetLoss) => (loss.kind === "avoidable" ? loss.groups : []);
        const all = lossWithout(new Set());
        const unawaited = new Set(groups.filter((one) => !one.isAwaited).map((one) => one.id));
        const some = lossWithout(unawaited);

        expect(namedIn(some)).toEqual(namedIn(all).filter((group) => !unawaited.has(group)));
        expect(some.kind === "none").toBe(all.kind === "none");
      }),
    );
  });

  it("is never none where fewer are healthy afterwards than are needed and were", () => {
    const state = fc.constantFrom<State>("initial", "other", "serving");
    fc.assert(
      fc.property(fc.array(state, { minLength: 1 }), fc.nat(20), (states, enough) => {
        const serving = states.filter((one) => one === "serving").length;
        const stay = states.slice(1).filter((one) => one === "serving").length;
        const isLoss = stay < Math.min(enough, serving);
        expect(lossIn(instances(...states), { enough }).kind !== "none").toBe(
          isLoss || (states[0] === "serving" && states.includes("initial") && stay < enough),
        );
      }),
    );
  });
});
