import { describe, expect, it } from "vitest";
import { nextStep } from "../../../lambda/domain/drain/next-step.ts";
import type { Snapshot, Volumes } from "../../../lambda/domain/drain/snapshot.ts";
import { milliseconds, minutes, seconds } from "../../../lambda/domain/time.ts";
import {
  ago,
  ahead,
  aNode,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  noon,
  someSettings,
} from "../../builders.ts";

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

  it("whose pods may have had volumes has these read", () => {
    expect(stepWith({ kind: "unread" })).toEqual({ kind: "read volumes" });
  });

  it("whose volumes are still attached is looked at when they are no longer waited for", () => {
    const until = ahead(milliseconds(1));
    expect(stepWith(read({ until }))).toEqual({ kind: "ask", requests: [], recheck: until });
  });

  it("whose volumes are waited for no more is drained", () => {
    expect(stepWith(read({ until: ahead(milliseconds(0)) }))).toEqual(drained);
  });

  it("whose volumes are detached is drained before their time is up", () => {
    expect(stepWith(read({ attached: [] }))).toEqual(drained);
  });

  it("waits for its volumes after the drain's own deadline too", () => {
    expect(stepWith(read(), { deadline: ago(minutes(1)) })).toMatchObject({ kind: "ask" });
  });

  it.each<Volumes>([{ kind: "unread" }, read()])(
    "that has fallen silent waits for no volumes: nobody there detaches them (%o)",
    (volumes) => {
      const node = aNode({ readiness: "unreachable" });
      expect(stepWith(volumes, { node })).toEqual(drained);
    },
  );

  it.each<Volumes>([{ kind: "unread" }, read()])(
    "waits for no volumes where that is switched off (%o)",
    (volumes) => {
      const settings = someSettings({ volumeTimeout: seconds(0) });
      expect(stepWith(volumes, { settings })).toEqual(drained);
    },
  );
});

describe("a node with pods", () => {
  const pods = [aPod()];
  const budgets = [anExhaustedBudget()];

  it("has nobody ask for its volumes", () => {
    expect(stepWith({ kind: "unread" }, { pods, budgets })).toMatchObject({ kind: "ask" });
  });

  it("evicts those that have come while volumes were waited for, and looks when they need it", () => {
    expect(stepWith(read(), { pods })).toMatchObject({ kind: "ask", requests: [{ pod: pods[0] }] });
  });

  it("whose volumes were waited for in vain is not drained", () => {
    const step = stepWith(read({ until: ago(minutes(1)) }), { pods, budgets });
    expect(step).toMatchObject({ kind: "ask" });
  });
});

describe("a node whose pods have not gone by the deadline", () => {
  const late = { pods: [aPod()], budgets: [anExhaustedBudget()], deadline: noon };
  const expired = { kind: "finish", outcome: "expired" };

  it("has the volumes read of those that have gone", () => {
    expect(stepWith({ kind: "unread" }, late)).toEqual({ kind: "read volumes" });
  });

  it("waits for these as long as they may take, and asks no pod any more", () => {
    const until = ahead(minutes(2));
    expect(stepWith(read({ until }), late)).toEqual({ kind: "ask", requests: [], recheck: until });
  });

  it.each<Volumes>([{ kind: "none" }, read({ attached: [] }), read({ until: noon })])(
    "has expired when they are detached, or were waited for long enough (%o)",
    (volumes) => {
      expect(stepWith(volumes, late)).toEqual(expired);
    },
  );
});

describe("a node without pods whose mark has not settled by the deadline", () => {
  const marked = ago(seconds(1));

  it("waits for its volumes, in which time the mark settles", () => {
    expect(stepWith(read(), { marked, deadline: noon })).toMatchObject({ kind: "ask" });
    expect(stepWith(read(), { marked, deadline: ago(seconds(1)) })).toMatchObject({ kind: "ask" });
  });
});
