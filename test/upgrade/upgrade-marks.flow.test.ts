import fc from "fast-check";
import { expect, it } from "vitest";
import type { Labels } from "../../lambda/base/labels.ts";
import { later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { type Cause, tryCause } from "../../lambda/drain/cause.ts";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import { markNode } from "../../lambda/drain/mark-node.flow.ts";
import { isExcluded, type Marking, unchanged } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { removeMark } from "../../lambda/drain/undo-mark.flow.ts";
import type { Unmarking } from "../../lambda/drain/unmarking.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import {
  attemptMarking,
  blockedMarking,
  type DrainAttempt,
  tryCordoning,
  tryReopening,
  tryRestoring,
  tryUncordoning,
} from "../../lambda/upgrade/node-marks.ts";
import { hasAttempt } from "../../lambda/upgrade/upgrade-reason.ts";
import { aNode, noon } from "../support/builders.ts";
import { propertyRuns } from "../support/property-runs.ts";

const id = "0badcafe";
const taint = { key: "example.com/draining", value: "true", effect: "NoSchedule", timeAdded: "" };
const taints = [taint];

/** A node that is written as the API server writes it: by whoever has read its latest version. */
class OneNode {
  now: Node = aNode({ unschedulable: false });

  write(read: Node, { annotations, labels, ...spec }: Marking | Unmarking): "changed" | "marked" {
    if (read.resourceVersion !== this.now.resourceVersion) return "changed";
    const { unschedulable, taints: list } = spec;
    this.now = {
      ...this.now,
      resourceVersion: `${Number(this.now.resourceVersion) + 1}`,
      annotations: merged(this.now.annotations, annotations),
      labels: merged(this.now.labels, labels),
      unschedulable: unschedulable === "as it is" ? this.now.unschedulable : unschedulable,
      taints: list === "as they are" ? this.now.taints : list,
    };
    return "marked";
  }

  get ports(): DrainPorts {
    const cluster = {
      node: async () => this.now,
      mark: async (read: Node, change: () => Marking | Unmarking) => this.write(read, change()),
    };
    const clock = { now: () => noon, sleep: async () => undefined };
    const journal = { record: () => undefined };
    return { cluster, clock, journal, reasons: drainReasons } as unknown as DrainPorts;
  }
}

const merged = (
  all: Labels,
  change: Readonly<Record<string, string | null>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...all, ...change }).filter(
      (pair): pair is [string, string] => pair[1] !== null,
    ),
  );

const someTime = fc.integer({ min: -600, max: 600 }).map((after) => later(noon, seconds(after)));

const someStep = fc.record({
  does: fc.constantFrom(
    "another drain marks",
    "its mark is taken off",
    "somebody uncordons",
    "reads",
    "begins an attempt",
    "marks",
    "is blocked",
    "cordons",
    "reopens",
    "restores",
    "uncordons",
  ),
  reason: fc.constantFrom(
    ...drainReasons.map(({ reason }) => reason).filter((one) => one !== "upgraded"),
  ),
  deadline: fc.oneof(someTime, fc.constant(never)),
  begun: someTime,
});

type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

/** A node that an upgrade works on, and other drains too. */
class SharedNode extends OneNode {
  /** The node as the upgrade last read it. */
  #read = this.now;
  #attempts = 0;
  /** Whether another drain counts on the node's mark. */
  standing: "free" | "held" = "free";

  async take(step: Step): Promise<void> {
    switch (step.does) {
      case "another drain marks":
        await this.#mark(this.now, step);
        this.standing = "held";
        return;
      case "its mark is taken off":
        if (this.standing === "held") await removeMark(this.now, taints, this.ports);
        this.standing = "free";
        return;
      case "somebody uncordons":
        this.write(this.now, { ...unchanged, annotations: {}, unschedulable: false });
        return;
      case "marks":
        await this.#mark(this.#read, { ...step, reason: "upgraded" });
        return;
      case "reads":
        this.#read = this.now;
        return;
      default:
        this.#change(step);
    }
  }

  #mark(node: Node, { reason, deadline, begun }: Cause & Pick<Step, "begun">) {
    const wish = {
      taints,
      notBefore: later(noon, minutes(-10)),
      cause: { reason, deadline },
      begun,
      lease: "leave" as const,
    };
    return markNode(node, wish, this.ports);
  }

  /** The upgrade writes what it thinks right, and looks once more where others have written. */
  #change({ does, begun }: Step): void {
    if (does === "begins an attempt") this.#attempts += 1;
    const attempt = { number: this.#attempts, begun };
    for (const read of [this.#read, this.now]) {
      const change = changes[does]?.(read, attempt);
      if (change === undefined || this.write(read, change) === "marked") return;
    }
  }
}

type Change = (node: Node, attempt: DrainAttempt) => Marking | Unmarking | undefined;

const changes: Partial<Readonly<Record<Step["does"], Change>>> = {
  "begins an attempt": (_, attempt) => attemptMarking(id, attempt),
  "is blocked": (_, attempt) => blockedMarking(id, attempt, [{ about: "web-1", why: "" }]),
  cordons: (node) => tryCordoning(node, id),
  uncordons: (node) => tryUncordoning(node, id),
  reopens: (node) => tryReopening(node, taints),
  restores: (node) => tryRestoring(node, taints),
};

const isOpen = (node: Node): boolean => !(node.unschedulable && isExcluded(node));

/** A node before and after a step. */
interface Moment {
  readonly step: Step;
  readonly before: Node;
  readonly after: Node;
  readonly standing: SharedNode["standing"];
}

/** Expects something after each step of any. */
const always = (holds: (moment: Moment) => void): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.array(someStep, { maxLength: 15 }), async (steps) => {
      const world = new SharedNode();
      for (const step of steps) {
        const before = world.now;
        await world.take(step);
        holds({ step, before, after: world.now, standing: world.standing });
      }
    }),
    { numRuns: propertyRuns(1000) },
  );

it("an upgrade opens no node that another drain has marked or kept marked, whatever comes in between", () =>
  always(({ step, before, after, standing }) => {
    if (standing === "free") return;
    expect(tryCause(after, drainReasons)?.reason).not.toBe("upgraded");
    if (step.does !== "somebody uncordons") expect(isOpen(before) || !isOpen(after)).toBe(true);
  }));

it("another drain opens no node that an upgrade drains", () =>
  always(({ step, before, after }) => {
    if (step.does === "its mark is taken off" && hasAttempt(before))
      expect(isOpen(after)).toBe(isOpen(before));
  }));
