import { describe, expect, it } from "vitest";
import { milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Snapshot, Volumes } from "../../lambda/drain/snapshot.ts";
import {
  ago,
  ahead,
  aNode,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  noon,
  someSettings,
} from "../builders.ts";

const read = (change: Partial<Extract<Volumes, { kind: "read" }>> = {}): Volumes => ({
  kind: "read",
  attached: ["pv-1"],
  until: ahead(minutes(2)),
  ...change,
});

const stepWith = (volumes: Volumes, change: Partial<Snapshot> = {}) =>
  nextStep(aSnapshot({ volumes, ...change }));

const drained = { kind: "finish", outcome: "drained" };

describe("a node without pods", () => {
  it("whose pods had no volumes is drained", () => {
    expect(stepWith({ kind: "none" })).toEqual(drained);
  });

  it("whose pods may have had volumes makes the drain read them", () => {
    expect(stepWith({ kind: "unread" })).toEqual({ kind: "read volumes" });
  });

  it("whose volumes are still attached is looked at again when the wait for them ends", () => {
    const until = ahead(milliseconds(1));
    expect(stepWith(read({ until }))).toEqual({ kind: "ask", requests: [], recheck: until });
  });

  it("is drained when the wait for its volumes is over", () => {
    expect(stepWith(read({ until: ahead(milliseconds(0)) }))).toEqual(drained);
  });

  it("is drained as soon as its volumes are detached", () => {
    expect(stepWith(read({ attached: [] }))).toEqual(drained);
  });

  it("waits for its volumes even after the drain's deadline", () => {
    expect(stepWith(read(), { deadline: ago(minutes(1)) })).toMatchObject({ kind: "ask" });
  });

  it.each<Volumes>([{ kind: "unread" }, read()])(
    "that is unreachable waits for no volumes, because nothing detaches them there (%o)",
    (volumes) => {
      const node = aNode({ readiness: "unreachable" });
      expect(stepWith(volumes, { node })).toEqual(drained);
    },
  );

  it.each<Volumes>([{ kind: "unread" }, read()])(
    "waits for no volumes where the settings say so (%o)",
    (volumes) => {
      const settings = someSettings({ volumeTimeout: seconds(0) });
      expect(stepWith(volumes, { settings })).toEqual(drained);
    },
  );
});

describe("a node with pods", () => {
  const pods = [aPod()];
  const budgets = [anExhaustedBudget()];

  it("does not make the drain read volumes yet", () => {
    expect(stepWith({ kind: "unread" }, { pods, budgets })).toMatchObject({ kind: "ask" });
  });

  it("has those evicted that came during the wait for volumes", () => {
    expect(stepWith(read(), { pods })).toMatchObject({ kind: "ask", requests: [{ pod: pods[0] }] });
  });

  it("is not drained although the wait for its volumes is over", () => {
    const step = stepWith(read({ until: ago(minutes(1)) }), { pods, budgets });
    expect(step).toMatchObject({ kind: "ask" });
  });
});

describe("a node whose pods are still there at the deadline", () => {
  const late = { pods: [aPod()], budgets: [anExhaustedBudget()], deadline: noon };
  const expired = { kind: "finish", outcome: "expired" };

  it("makes the drain read the volumes of the pods that have gone", () => {
    expect(stepWith({ kind: "unread" }, late)).toEqual({ kind: "read volumes" });
  });

  it("waits for those volumes until their time is up, without further requests for pods", () => {
    const until = ahead(minutes(2));
    expect(stepWith(read({ until }), late)).toEqual({ kind: "ask", requests: [], recheck: until });
  });

  it.each<Volumes>([{ kind: "none" }, read({ attached: [] }), read({ until: noon })])(
    "has expired once those volumes are detached or their time is up (%o)",
    (volumes) => {
      expect(stepWith(volumes, late)).toEqual(expired);
    },
  );
});

describe("a node without pods whose mark has not settled by the deadline", () => {
  const marked = ago(seconds(1));

  it("waits for its volumes, and meanwhile the mark settles", () => {
    expect(stepWith(read(), { marked, deadline: noon })).toMatchObject({ kind: "ask" });
    expect(stepWith(read(), { marked, deadline: ago(seconds(1)) })).toMatchObject({ kind: "ask" });
  });
});
