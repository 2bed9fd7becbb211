import { describe, expect, it } from "vitest";
import {
  cordonedAnnotation,
  emptiedAtAnnotation,
  exclusionLabel,
  markedAtAnnotation,
  markingFor,
  ownMark,
  replacedLabelAnnotation,
  tryEmptiedAt,
  tryMarkedAt,
  tryUnmarking,
} from "../../../lambda/domain/node/marking.ts";
import type { Node, Taint } from "../../../lambda/domain/node/node.ts";
import { later, milliseconds, timestamp } from "../../../lambda/domain/time.ts";
import { aNode, noon } from "../../builders.ts";

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

/** The node after a marking was written onto it. */
const marked = (node: Node, taints: readonly Taint[] = []): Node => {
  const marking = markingFor(node, taints, noon);
  return {
    ...node,
    labels: { ...node.labels, ...marking.labels },
    annotations: { ...node.annotations, ...marking.annotations },
    unschedulable: marking.unschedulable === true || node.unschedulable,
    taints: marking.taints === "as they are" ? node.taints : marking.taints,
  };
};

describe("the names of marks", () => {
  it("are those that people look for", () => {
    expect(exclusionLabel).toBe("node.kubernetes.io/exclude-from-external-load-balancers");
    expect([
      ownMark,
      markedAtAnnotation,
      cordonedAnnotation,
      emptiedAtAnnotation,
      replacedLabelAnnotation,
    ]).toEqual([
      "eks-node-lifecycle",
      "eks-node-lifecycle/marked-at",
      "eks-node-lifecycle/cordoned",
      "eks-node-lifecycle/emptied-at",
      "eks-node-lifecycle/replaced-label",
    ]);
  });
});

describe("the marking of a node", () => {
  it("takes it out of load balancers, cordons it and says since when, all at once", () => {
    expect(markingFor(fresh, [], noon)).toEqual({
      labels: { [exclusionLabel]: "eks-node-lifecycle" },
      annotations: { [markedAtAnnotation]: timestamp(noon), [cordonedAnnotation]: "true" },
      unschedulable: true,
      taints: "as they are",
    });
  });

  it("does not claim a cordon that somebody else has put there", () => {
    expect(markingFor(aNode(), [], noon).annotations).toEqual({
      [markedAtAnnotation]: timestamp(noon),
    });
  });

  it.each(["karpenter", "true", "1", "", "kops", "yes"])(
    "keeps the label that somebody else has put there: %j",
    (value) => {
      const node = aNode({ labels: { [exclusionLabel]: value } });
      expect(markingFor(node, [], noon).labels).toEqual({});
      expect(tryMarkedAt(marked(node), [])).toBe(noon);
    },
  );

  it.each(["false", "False", "FALSE", "f", "F", "0"])(
    "replaces a label that keeps the node in its load balancers: %j",
    (value) => {
      const node = aNode({ labels: { [exclusionLabel]: value } });
      expect(markingFor(node, [], noon)).toMatchObject({
        labels: { [exclusionLabel]: ownMark },
        annotations: { [replacedLabelAnnotation]: value },
      });
    },
  );

  it("adds our taint to those of others, which keep their time", () => {
    const node = aNode({ taints: [foreign] });
    expect(markingFor(node, [taint()], noon).taints).toEqual([foreign, taint()]);
  });

  it("leaves the taints alone if nothing is to be added", () => {
    const there = taint({ timeAdded: "2026-11-20T11:59:00Z" });
    const node = aNode({ taints: [foreign, there] });
    expect(markingFor(node, [taint()], noon).taints).toBe("as they are");
    expect(markingFor(node, [], noon).taints).toBe("as they are");
  });

  it.each<[string, Partial<Taint>, boolean]>([
    ["the same key with another value", { value: "false" }, false],
    ["the same key with another effect", { effect: "NoExecute" }, true],
    ["another key with the same effect", { key: "example.com/other" }, true],
  ])("knows a taint by key and effect, as the API does: over %s", (_, change, added) => {
    const node = aNode({ taints: [taint(change)] });
    const expected = added ? [taint(change), taint()] : "as they are";
    expect(markingFor(node, [taint()], noon).taints).toEqual(expected);
  });

  it("adds each of several taints that is missing", () => {
    const second = taint({ key: "example.com/second" });
    const node = aNode({ taints: [taint()] });
    expect(markingFor(node, [taint(), second], noon).taints).toEqual([taint(), second]);
  });
});

describe("a marked node", () => {
  it("is known as marked since then", () => {
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
    ["a time that can be read", { annotations: { [markedAtAnnotation]: "noon" } }],
  ])("is to be marked again when it has lost %s", (_, lost) => {
    expect(tryMarkedAt({ ...marked(fresh, [taint()]), ...lost }, [taint()])).toBeUndefined();
  });

  it("is none that others have cordoned and labelled: it has not been marked here", () => {
    const theirs = aNode({ labels: { [exclusionLabel]: "true" } });
    expect(tryMarkedAt(theirs, [])).toBeUndefined();
  });
});

describe("an emptied node", () => {
  const emptied = (annotation: string) =>
    aNode({ annotations: { [emptiedAtAnnotation]: annotation } });

  it("is known as empty since then", () => {
    expect(tryEmptiedAt(emptied(timestamp(noon)), noon)).toBe(noon);
  });

  it("is not known as empty since before it was marked", () => {
    const since = later(noon, milliseconds(1));
    expect(tryEmptiedAt(emptied(timestamp(noon)), since)).toBeUndefined();
  });

  it("is not known as empty without a time that can be read", () => {
    expect(tryEmptiedAt(aNode(), noon)).toBeUndefined();
    expect(tryEmptiedAt(emptied("noon"), noon)).toBeUndefined();
  });
});

describe("what of a mark is taken back", () => {
  const own = taint();

  it("is all of it where all of it is ours", () => {
    expect(tryUnmarking(marked(fresh, [own]), [own])).toEqual({
      labels: { [exclusionLabel]: null },
      annotations: { [markedAtAnnotation]: null, [cordonedAnnotation]: null },
      unschedulable: false,
      taints: [],
    });
  });

  it("is not the label, the cordon nor the taint that others have put on", () => {
    const theirs = aNode({
      unschedulable: true,
      labels: { [exclusionLabel]: "true" },
      taints: [foreign],
    });
    expect(tryUnmarking(marked(theirs, []), [own])).toEqual({
      labels: {},
      annotations: { [markedAtAnnotation]: null },
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

  it("is the label that was replaced: it has its value again", () => {
    const node = aNode({ labels: { [exclusionLabel]: "false" } });
    expect(tryUnmarking(marked(node), [])).toMatchObject({
      labels: { [exclusionLabel]: "false" },
      annotations: { [replacedLabelAnnotation]: null },
    });
  });

  it("is no label that somebody else has written over ours since", () => {
    const node = marked(aNode({ labels: { [exclusionLabel]: "false" } }));
    const theirs = { ...node, labels: { [exclusionLabel]: "true" } };
    expect(tryUnmarking(theirs, [])).toMatchObject({
      labels: {},
      annotations: { [replacedLabelAnnotation]: null },
    });
  });

  it("is the time at which the node was emptied, too", () => {
    const emptied = marked(fresh);
    const annotations = { ...emptied.annotations, [emptiedAtAnnotation]: timestamp(noon) };
    expect(tryUnmarking({ ...emptied, annotations }, [])?.annotations).toEqual({
      [markedAtAnnotation]: null,
      [cordonedAnnotation]: null,
      [emptiedAtAnnotation]: null,
    });
  });

  it("is each of several taints of ours", () => {
    const second = taint({ key: "example.com/second" });
    const node = { ...marked(fresh, [own, second]), taints: [own, foreign, second] };
    expect(tryUnmarking(node, [own, second])?.taints).toEqual([foreign]);
  });

  it("is nothing on a node that we have not marked", () => {
    const cordoned = aNode({ unschedulable: true, labels: { [exclusionLabel]: ownMark } });
    expect(tryUnmarking(cordoned, [own])).toBeUndefined();
  });
});
