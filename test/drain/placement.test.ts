import { describe, expect, it } from "vitest";
import { Places } from "../../lambda/drain/placement.ts";
import type { NodeDemand, NodeRoom } from "../../lambda/drain/reschedulable-pod.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import { aResident, aRoom } from "../forecast/a-forecast-input.ts";

const placed = (rooms: readonly NodeRoom[], ...pods: readonly ForecastPod[]) => [
  ...new Places(rooms).of(pods, new Set(["leaving"])).values(),
];
const wants = (key: string, operator: string, ...values: readonly string[]): NodeDemand => ({
  from: "its node affinity",
  anyOf: [{ labels: [{ key, operator, values }], fields: [] }],
});
const asking = (cpu: number, name = "web-1", demands: readonly NodeDemand[] = []) =>
  aResident({ name }, { requests: { cpu, pods: 1 }, demands });
const taint = (effect: string) => ({ key: "gpu", value: "", effect, timeAdded: "" });
const tolerant = { tolerations: [{ key: "gpu", operator: "Exists", value: "", effect: "" }] };

describe("a replacement that is alone", () => {
  it("is told how many nodes each reason rules out", () => {
    const rooms = [
      aRoom("leaving", 9),
      aRoom("cordoned", 9, { unschedulable: true }),
      aRoom("silent", 9, { readiness: "unreachable" }),
      aRoom("gpu", 9, { taints: [taint("NoExecute")] }),
      aRoom("elsewhere", 9, { labels: { zone: "b" } }),
      aRoom("full", 0, { labels: { zone: "a" } }),
    ];

    const [placement] = placed(rooms, asking(1000, "web-1", [wants("zone", "In", "a")]));

    const reasons = {
      "too little cpu": 1,
      cordoned: 1,
      "not ready": 1,
      "taint gpu": 1,
      "its node affinity": 2,
    };
    expect(placement).toEqual({ kind: "nowhere", reasons: { ...reasons, "its node affinity": 2 } });
  });

  it.each([
    ["NoSchedule", {}, "nowhere"],
    ["NoSchedule", tolerant, "place"],
    ["PreferNoSchedule", {}, "place"],
  ])("minds a taint of effect %s with tolerations %j: %s", (effect, change, kind) => {
    expect(placed([aRoom("gpu", 9, { taints: [taint(effect)] })], aResident(change))).toMatchObject(
      [{ kind }],
    );
  });

  it.each([
    ["In", ["4"], "place"],
    ["In", ["5"], "nowhere"],
    ["NotIn", ["4"], "nowhere"],
    ["Exists", [], "place"],
    ["DoesNotExist", [], "nowhere"],
    ["Gt", ["3"], "place"],
    ["Gt", ["4"], "nowhere"],
    ["Lt", ["5"], "place"],
    ["Lt", ["4"], "nowhere"],
  ])("minds a required affinity to nodes with %s %j: %s", (operator, values, kind) => {
    const room = aRoom("a", 9, { labels: { cores: "4" } });

    const demands = [wants("cores", operator, ...values)];

    expect(placed([room], asking(1, "web-1", demands))).toMatchObject([{ kind }]);
  });

  it("may be bound to a node by name, and to none by a term without requirements", () => {
    const named = (name: string): NodeDemand => ({
      from: "its node affinity",
      anyOf: [
        { labels: [], fields: [] },
        { labels: [], fields: [{ key: "metadata.name", operator: "In", values: [name] }] },
      ],
    });

    const pods = [asking(1, "a", [named("a")]), asking(1, "b", [named("b")])];

    expect(placed([aRoom("a", 9)], ...pods)).toMatchObject([
      { kind: "place" },
      { kind: "nowhere" },
    ]);
  });
});

describe("replacements that leave together", () => {
  it("count those who may go to fewer nodes, but not those who may go to more", () => {
    const only = [wants("zone", "In", "a")];
    const zoned = aRoom("x", 2, { labels: { zone: "a" } });
    const bound = ["a", "b", "c"].map((name) => asking(1000, name, only));

    const placements = placed([zoned, aRoom("y", 2)], asking(1000, "free"), ...bound);

    expect(placements.map(({ kind }) => kind)).toEqual(["place", "place", "place", "crowded"]);
  });

  it("of each zone have its nodes for themselves, though as many rule them out", () => {
    const rooms = ["a", "b"].map((zone) => aRoom(zone, 1, { labels: { zone } }));
    const pods = ["a", "b"].map((zone) => asking(1000, zone, [wants("zone", "In", zone)]));

    expect(placed(rooms, ...pods).map(({ kind }) => kind)).toEqual(["place", "place"]);
  });

  it("are not short on a node for what those ask for who may go to another one too", () => {
    const zoned = aRoom("x", 1, { labels: { zone: "a" } });
    const bound = asking(1000, "bound", [wants("zone", "In", "a")]);

    for (const pods of [
      [bound, asking(1000, "free")],
      [asking(1000, "free"), bound],
    ])
      expect(placed([zoned, aRoom("y", 1)], ...pods).map(({ kind }) => kind)).toEqual([
        "place",
        "place",
      ]);
  });

  it("count devices and pods like everything else", () => {
    const device = aResident({}, { requests: { "nvidia.com/gpu": 1, pods: 1 } });

    expect(placed([aRoom("a", 9)], device)).toEqual([
      { kind: "nowhere", reasons: { "too little nvidia.com/gpu": 1 } },
    ]);
  });

  it("find a place before one that is too large for any node", () => {
    const pods = [asking(9000, "big"), asking(1000, "a"), asking(1000, "b")];

    expect(placed([aRoom("x", 1), aRoom("y", 1)], ...pods).map(({ kind }) => kind)).toEqual([
      "nowhere",
      "place",
      "place",
    ]);
  });

  it("are looked at a few times each, though each of them demands something else of its node", () => {
    const many = 40;
    let looks = 0;
    const pods = Array.from({ length: many }, (_, at) => {
      const pod = asking(1, `web-${at}`, [wants("zone", "NotIn", `z${at}`)]);
      const { requests } = pod;
      return Object.defineProperty(pod, "requests", {
        enumerable: true,
        get: () => {
          looks += 1;
          return requests;
        },
      });
    });

    expect(new Set(placed([aRoom("x", 9)], ...pods).map(({ kind }) => kind))).toEqual(
      new Set(["place"]),
    );

    expect(looks).toBeLessThan(10 * many ** 2);
  });

  it("are not crowded out by others that no node would take, however many somebody has", () => {
    const others = Array.from({ length: 50 }, (_, at) =>
      asking(1, `other-${at}`, [wants("zone", "In", "nowhere")]),
    );

    const [own, first] = placed([aRoom("x", 2)], asking(2, "web"), ...others);

    expect(own).toEqual({ kind: "place" });
    expect(first).toMatchObject({ kind: "nowhere" });
  });

  it("stay without a place once one resource is short, and name each that is", () => {
    const alike = (cpu: number, memory: number) =>
      aResident({ name: `web-${cpu}` }, { requests: { cpu, memory, pods: 1 } });
    const { node, free } = aRoom("x", 2);

    const placements = placed(
      [{ node, free: { ...free, memory: 1 } }],
      alike(1000, 0),
      alike(1001, 1),
      alike(1002, 1),
      alike(1003, 0),
    );

    expect(placements).toMatchObject([
      { kind: "place" },
      { kind: "crowded", short: ["cpu"] },
      { kind: "crowded", short: ["cpu", "memory"] },
      { kind: "crowded", short: ["cpu", "memory"] },
    ]);
  });
});

it("two thousand pods that may each go to other nodes find their places within seconds", () => {
  const names = Array.from({ length: 300 }, (_, index) => `node-${index}`);
  const rooms = names.map((host) => aRoom(host, 9000, { labels: { host } }));
  const pods = Array.from({ length: 2000 }, (_, index) => {
    const shut = [names[index % 300] ?? "", names[(index * 7 + 3) % 300] ?? ""];
    return asking(1, `pod-${index}`, [wants("host", "NotIn", ...shut)]);
  });
  const before = process.cpuUsage();
  const kinds = new Set(placed(rooms, ...pods).map(({ kind }) => kind));
  expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(2.5);
  expect([...kinds]).toEqual(["place"]);
}, 60_000);

it("two thousand pods that each tolerate something else find their places as fast as those of one workload", () => {
  const rooms = Array.from({ length: 300 }, (_, index) => aRoom(`node-${index}`, 9000));
  const pods = Array.from({ length: 2000 }, (_, index) => {
    const tolerations = [{ key: `key-${index}`, operator: "Exists", value: "", effect: "" }];
    return aResident({ name: `pod-${index}`, tolerations }, { requests: { cpu: 1, pods: 1 } });
  });
  const before = process.cpuUsage();
  const kinds = new Set(placed(rooms, ...pods).map(({ kind }) => kind));
  expect(process.cpuUsage(before).user / 1_000_000).toBeLessThan(3);
  expect([...kinds]).toEqual(["place"]);
}, 60_000);

describe("the pods of one namespace", () => {
  const long = (prefix: string) =>
    Array.from({ length: 250 }, (_, at) => `${prefix}${at}`.repeat(9));
  const many = 40;
  const largeCluster = () => {
    let looks = 0;
    const rooms = Array.from({ length: many * 10 }, (_, at) => {
      const { node, free } = aRoom(`node-${at}`, 9, { labels: { zone: "a" } });
      const look = () => {
        looks += 1;
        return free;
      };
      return Object.defineProperty({ node, free }, "free", { enumerable: true, get: look });
    });
    return { rooms, looks: () => looks };
  };
  const other = (change: Partial<ForecastPod>) =>
    aResident({ namespace: "others", name: "other" }, change);
  const kindsOf = (rooms: readonly NodeRoom[], ...pods: readonly ForecastPod[]) => {
    const placements = new Places(rooms).of(pods, new Set());
    return pods.map(({ pod }) => placements.get(pod.uid)?.kind);
  };

  it("are placed anywhere once they demand so much of so many nodes that the pods of others wait", () => {
    const { rooms } = largeCluster();
    const pods = Array.from({ length: 100 }, (_, at) =>
      asking(1, `web-${at}`, [wants("zone", "In", ...long(`z${at}-`))]),
    );

    const kinds = kindsOf(rooms, ...pods, other({ demands: [wants("zone", "In", "b")] }));

    expect([kinds[0], kinds.at(-2), kinds.at(-1)]).toEqual(["nowhere", "place", "nowhere"]);
  });

  it("may go to a few hundred sets of nodes, and count for no others beyond", () => {
    const rooms = Array.from({ length: many }, (_, at) =>
      aRoom(`node-${at}`, 1, { labels: { name: `${at}` } }),
    );
    const pods = Array.from({ length: 600 }, (_, at) =>
      asking(1000, `web-${at}`, [wants("name", "In", `${at % many}`, `${Math.floor(at / many)}`)]),
    );

    const places = new Places(rooms);
    expect(new Set(pods.map((pod) => places.suitable(pod))).size).toBeLessThan(260);
    expect(kindsOf(rooms, ...pods).at(-1)).toBe("place");
  });

  it("are looked at once for the same requests, and not without end for others", () => {
    const { rooms, looks } = largeCluster();
    const names = long("example.com/");
    const requesting = (amount: number) =>
      aResident(
        { name: `web-${amount}` },
        { requests: Object.fromEntries(names.map((name) => [name, amount])) },
      );
    const same = Array.from({ length: 9 }, () => requesting(1));

    placed(rooms, ...same);
    expect(looks()).toBeLessThan(rooms.length * 4);
    const pods = Array.from({ length: 90 }, (_, at) => requesting(at + 1));

    const kinds = kindsOf(rooms, ...pods, other({ requests: { cpu: 99_000 } }));

    expect([kinds[0], kinds.at(-2), kinds.at(-1)]).toEqual(["nowhere", "crowded", "nowhere"]);
  });
});
