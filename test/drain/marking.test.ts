import { describe, expect, it } from "vitest";
import type { Labels } from "../../lambda/base/labels.ts";
import { later, milliseconds, minutes, timestamp } from "../../lambda/base/time.ts";
import { deadlineAnnotation, reasonAnnotation } from "../../lambda/drain/cause.ts";
import {
  awaitedVolumes,
  awaitedVolumesAnnotation,
  cordonedAnnotation,
  drainedMarking,
  emptiedAnnotations,
  emptiedAtAnnotation,
  exclusionLabel,
  isDrainedSinceMark,
  lateSinceAnnotation,
  type Marking,
  markedAtAnnotation,
  markingFor,
  ownMark,
  replacedLabelAnnotation,
  tightening,
  tryEmptiedAt,
  tryMarkedAt,
} from "../../lambda/drain/marking.ts";
import type { Node, Taint } from "../../lambda/drain/node.ts";
import { tryOpening, tryUnmarking } from "../../lambda/drain/unmarking.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { aCause, aNode, noon } from "../support/builders.ts";

const fresh = aNode({ unschedulable: false });
const taint = (change: Partial<Taint> = {}): Taint => ({
  key: "example.com/draining",
  value: "true",
  effect: "NoSchedule",
  timeAdded: "",
  ...change,
});
const foreign = taint({
  key: "node.kubernetes.io/unreachable",
  value: "",
  effect: "NoExecute",
  timeAdded: "2026-11-20T11:59:00Z",
});

const aMark = (taints: readonly Taint[] = []) => ({ taints, cause: aCause(), at: noon });

/** The node after a marking was written to it. */
const marked = (node: Node, taints: readonly Taint[] = []): Node => {
  const marking = markingFor(node, aMark(taints));
  return {
    ...node,
    labels: { ...node.labels, ...marking.labels },
    annotations: withoutNulls({ ...node.annotations, ...marking.annotations }),
    unschedulable: marking.unschedulable === true || node.unschedulable,
    taints: marking.taints === "as they are" ? node.taints : marking.taints,
  };
};

const withoutNulls = (annotations: Readonly<Partial<Marking["annotations"]>>): Labels =>
  Object.fromEntries(
    Object.entries(annotations).flatMap(([key, value]) =>
      typeof value !== "string" ? [] : [[key, value]],
    ),
  );

const why = {
  [reasonAnnotation]: "terminating",
  [deadlineAnnotation]: timestamp(later(noon, minutes(15))),
};
const noWhy = { [reasonAnnotation]: null, [deadlineAnnotation]: null };

describe("the names of marks", () => {
  it("are those that people look for", () => {
    expect(exclusionLabel).toBe("node.kubernetes.io/exclude-from-external-load-balancers");
    expect([
      ownMark,
      markedAtAnnotation,
      cordonedAnnotation,
      emptiedAtAnnotation,
      awaitedVolumesAnnotation,
      replacedLabelAnnotation,
      reasonAnnotation,
      deadlineAnnotation,
    ]).toEqual([
      "eks-node-lifecycle",
      "eks-node-lifecycle/marked-at",
      "eks-node-lifecycle/cordoned",
      "eks-node-lifecycle/emptied-at",
      "eks-node-lifecycle/awaited-volumes",
      "eks-node-lifecycle/replaced-label",
      "eks-node-lifecycle/reason",
      "eks-node-lifecycle/deadline",
    ]);
  });
});

describe("the marking of a node", () => {
  it("takes it out of load balancers, cordons it and says since when, all at once", () => {
    expect(markingFor(fresh, aMark())).toEqual({
      labels: { [exclusionLabel]: "eks-node-lifecycle" },
      annotations: { [markedAtAnnotation]: timestamp(noon), [cordonedAnnotation]: "true", ...why },
      unschedulable: true,
      taints: "as they are",
    });
  });

  it("says since when its drain is late, if it is: at once, or when its time restarts", () => {
    const late = { [lateSinceAnnotation]: timestamp(noon) };
    expect(markingFor(fresh, { ...aMark(), lateSince: noon }).annotations).toMatchObject(late);
    expect(tightening(aCause(), noon).annotations).toEqual({ ...why, ...late });
    expect(tightening(aCause()).annotations).toEqual(why);
  });

  it.each<[string, Partial<Taint>, boolean]>([
    ["the same key with another value", { value: "false" }, false],
    ["the same key with another effect", { effect: "NoExecute" }, true],
    ["another key with the same effect", { key: "example.com/other" }, true],
  ])("identifies a taint by key and effect, as the API does: next to %s", (_, change, added) => {
    const node = aNode({ taints: [taint(change)] });
    const expected = added ? [taint(change), taint()] : "as they are";
    expect(markingFor(node, aMark([taint()])).taints).toEqual(expected);
  });
});

describe("a marked node", () => {
  it("is known as marked since the time of its mark", () => {
    expect(tryMarkedAt(marked(fresh), [])).toBe(noon);
    expect(tryMarkedAt(marked(fresh, [taint()]), [taint()])).toBe(noon);
    expect(tryMarkedAt(marked(fresh, [taint()]), [])).toBe(noon);
  });

  it.each<[string, Partial<Node>]>([
    ["its cordon", { unschedulable: false }],
    ["its label", { labels: {} }],
    ["the meaning of its label", { labels: { [exclusionLabel]: "false" } }],
    ["its taint", { taints: [foreign] }],
    ["its time", { annotations: {} }],
    ["a readable time", { annotations: { [markedAtAnnotation]: "noon" } }],
  ])("has to be marked again when it has lost %s", (_, lost) => {
    expect(tryMarkedAt({ ...marked(fresh, [taint()]), ...lost }, [taint()])).toBeUndefined();
  });
});

describe("an emptied node", () => {
  const emptied = (annotation: string) =>
    aNode({ annotations: { [emptiedAtAnnotation]: annotation } });
  const noted = (volumes: readonly string[] | "unknown") => {
    const written = emptiedAnnotations(noon, volumes);
    const annotations = Object.entries(written).flatMap(([key, value]) =>
      value === null ? [] : [[key, value]],
    );
    return aNode({ annotations: Object.fromEntries(annotations) });
  };
  const ebs = "kubernetes.io/csi/ebs.csi.aws.com^vol-0123456789abcdef0";

  it("is known as empty since the time in its annotation", () => {
    expect(tryEmptiedAt(emptied(timestamp(noon)), noon)).toBe(noon);
  });

  it("has the volumes that its drain waits for", () => {
    const volumes = Array.from({ length: 140 }, (_, index) => `${ebs}${index % 10}`);
    expect(awaitedVolumes(noted(volumes), noon)).toEqual(volumes);
    const text = noted(volumes).annotations[awaitedVolumesAnnotation];
    expect(text).toBe(volumes.join(" "));
    expect(text?.length).toBeLessThanOrEqual(8192);
  });

  it.each([
    [256, "each"],
    [257, "unknown"],
    [60_000, "unknown"],
  ])("has %d volumes that its kubelet has written there: %s", (count, known) => {
    const volumes = Array.from({ length: count }, (_, index) => index.toString(36));
    const node = noted(["a"]);
    const annotations = { ...node.annotations, [awaitedVolumesAnnotation]: volumes.join(" ") };
    expect(awaitedVolumes({ annotations }, noon)).toEqual(known === "each" ? volumes : known);
  });

  it.each<[string, readonly string[] | "unknown"]>([
    ["are not known", "unknown"],
    ["have names with a space", ["kubernetes.io/csi/nfs^a b"]],
    ["have names that the API server's policy refuses", ["kubernetes.io/csi/nfs^a\u2028b"]],
    ["have no name", [""]],
    ["are more than an annotation may hold", Array.from({ length: 160 }, () => ebs)],
  ])("does not say for which volumes its drain waits if these %s", (_, volumes) => {
    expect(awaitedVolumes(noted(volumes), noon)).toBe("unknown");
    expect(emptiedAnnotations(noon, volumes)).toHaveProperty([awaitedVolumesAnnotation], null);
  });

  it("has no volumes of a mark before its own, nor without the time when it was empty", () => {
    const since = later(noon, milliseconds(1));
    expect(awaitedVolumes(noted([ebs]), since)).toEqual([]);
    expect(
      awaitedVolumes(aNode({ annotations: { [awaitedVolumesAnnotation]: ebs } }), noon),
    ).toEqual([]);
  });

  it("is not known as empty since a time before its mark", () => {
    const since = later(noon, milliseconds(1));
    expect(tryEmptiedAt(emptied(timestamp(noon)), since)).toBeUndefined();
  });
});

describe("the mark of a drain that ends", () => {
  const told = (reason: string, annotations: Labels = {}) => {
    const node = marked(fresh);
    const why = { [reasonAnnotation]: reason };
    return { ...node, annotations: { ...node.annotations, ...why, ...annotations } };
  };
  const turn = (number: number) => ({
    "eks-node-lifecycle/upgrade-turn": `0badcafe ${number} 2026-11-20T11:00:00.000Z`,
    "eks-node-lifecycle/upgrade-blocked": "0badcafe 1 web-1",
  });

  it("is taken off, unless an upgrade drains the node too: then it is the upgrade's", () => {
    expect(tryOpening(told("maintenance"), [], drainReasons)).toMatchObject({
      unschedulable: false,
    });
    expect(tryOpening(told("maintenance", turn(2)), [], drainReasons)).toEqual({
      labels: {},
      unschedulable: "as it is",
      taints: "as they are",
      annotations: { [reasonAnnotation]: "upgraded", [deadlineAnnotation]: null },
    });
  });

  it.each([
    ["has given the node up", told("maintenance", turn(1))],
    ["is what a person takes the mark of", told("upgraded", turn(2))],
  ])("is taken off where the upgrade %s", (_, node) => {
    expect(tryOpening(node, [], drainReasons)).toEqual(tryUnmarking(node, []));
  });

  it("is none where nobody has marked the node, though an upgrade drains it", () => {
    expect(tryOpening(aNode({ annotations: turn(2) }), [], drainReasons)).toBeUndefined();
  });
});

describe("the undo of a mark", () => {
  const own = taint();

  it("removes all of it where all of it is ours", () => {
    expect(tryUnmarking(marked(fresh, [own]), [own])).toEqual({
      labels: { [exclusionLabel]: null },
      annotations: { [markedAtAnnotation]: null, [cordonedAnnotation]: null, ...noWhy },
      unschedulable: false,
      taints: [],
    });
  });

  it("leaves the label, the cordon and the taint that others have set", () => {
    const theirs = aNode({
      unschedulable: true,
      labels: { [exclusionLabel]: "true" },
      taints: [foreign],
    });
    expect(tryUnmarking(marked(theirs, []), [own])).toEqual({
      labels: {},
      annotations: { [markedAtAnnotation]: null, ...noWhy },
      unschedulable: "as it is",
      taints: "as they are",
    });
  });

  it.each([{ key: "another" }, { value: "another" }, { effect: "NoExecute" }])(
    "leaves a taint that differs from ours by %j",
    (change) => {
      const node = { ...marked(fresh, [own]), taints: [taint(change), own] };
      expect(tryUnmarking(node, [own])?.taints).toEqual([taint(change)]);
    },
  );

  it("puts back the value of the label that ours had replaced", () => {
    const node = aNode({ labels: { [exclusionLabel]: "false" } });
    expect(tryUnmarking(marked(node), [])).toMatchObject({
      labels: { [exclusionLabel]: "false" },
      annotations: { [replacedLabelAnnotation]: null },
    });
  });

  it.each(["true", "karpenter", "", "no label", "x".repeat(64)])(
    "puts back no label that somebody has written where ours remembers the one before: %j",
    (value) => {
      const labels = { [exclusionLabel]: ownMark };
      const node = { ...marked(fresh), labels };
      const written = { ...node.annotations, [replacedLabelAnnotation]: value };
      expect(tryUnmarking({ ...node, annotations: written }, [])).toMatchObject({
        labels: { [exclusionLabel]: null },
        annotations: { [replacedLabelAnnotation]: null },
      });
    },
  );

  it("removes each of several taints of ours", () => {
    const second = taint({ key: "example.com/second" });
    const node = { ...marked(fresh, [own, second]), taints: [own, foreign, second] };
    expect(tryUnmarking(node, [own, second])?.taints).toEqual([foreign]);
  });
});

it("a drain of a node at risk has ended since the mark if that is written no earlier", () => {
  const marked = { [markedAtAnnotation]: timestamp(noon) };
  const after = (milli: number) => {
    const { annotations, ...rest } = drainedMarking(later(noon, milliseconds(milli)));
    expect(rest).toEqual({ labels: {}, unschedulable: "as it is", taints: "as they are" });
    const ended = Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [key, value ?? ""]),
    );
    return isDrainedSinceMark(aNode({ annotations: { ...marked, ...ended } }));
  };
  expect(after(0)).toBe(true);
  expect(after(-1)).toBe(false);
  expect(isDrainedSinceMark(aNode({ annotations: marked }))).toBe(false);
});
