import { describe, expect, it } from "vitest";
import { drainsOf, type RecordedDrain } from "../../journal/drains.ts";
import type { Happening } from "../../journal/happening.ts";
import { tryReadLogLine } from "../../journal/log-line-schema.ts";
import { deadlineWords, pictureOf } from "../../journal/picture.ts";
import { actionToken, nodeName, podUid } from "../../lambda/base/ids.ts";
import { hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import { begin, drainLog, type LogSpec, namesOf } from "../cli/timeline/drain-log.ts";

const told = (spec: Partial<LogSpec> = {}): readonly Happening[] =>
  drainLog({ number: 7, from: begin, pod: "shop/checkout-6b8f", end: "drained", ...spec }).flatMap(
    (line) => tryReadLogLine(line) ?? [],
  );

const dns = "kube-system/coredns-5c9f";
const { instance, node } = namesOf({ number: 7 });

const rowOf = (happenings: readonly Happening[], label: string) =>
  drainsOf(happenings)
    .flatMap((drain) => pictureOf(drain).rows)
    .find((row) => row.label === label);

/** The same without a hook, as after an event of EC2. */
const unheld = (happenings: readonly Happening[]) =>
  tokenless(happenings.filter(({ kind }) => kind !== "hook-completed"));

const tokenless = (happenings: readonly Happening[]): readonly Happening[] =>
  happenings.map((one) =>
    one.source === "function" ? { ...one, token: undefined } : one,
  ) as never;

describe("the drains of a log", () => {
  it("have all passes of one drain, however its lines were mixed with those of others", () => {
    const others = told({ number: 8, from: later(begin, seconds(3)), end: "expired" });
    const mixed = [...told(), ...others].toSorted((a, b) => b.at - a.at);

    const drains = drainsOf(mixed);

    expect(drains.map((drain) => [drain.instance, drain.outcome.kind])).toEqual([
      [instance, "drained"],
      [namesOf({ number: 8 }).instance, "expired"],
    ]);
    expect(drains[0]).toMatchObject({
      node,
      group: "workers",
      deadline: later(begin, minutes(15)),
    });
    expect(drains[0]?.happenings).toHaveLength(told().length);
  });

  it("are two where an instance is held twice, by two tokens", () => {
    const again = told({ from: later(begin, hours(1)) }).map((one) => ({
      ...one,
      token: actionToken("another"),
    }));

    const tokens = drainsOf([...told(), ...again] as readonly Happening[]).map(
      ({ token }) => token,
    );

    expect(tokens).toEqual([namesOf({ number: 7 }).token, "another"]);
  });

  it("are one where an event of EC2, which has no token, comes before the hook", () => {
    const interrupted = unheld(told({ from: later(begin, minutes(-10)) }));

    // The mark of the first stands, so only a peer is marked.
    const peer = namesOf({ number: 8 }).node;
    const held = told().map((one) => (one.kind === "node-marked" ? { ...one, node: peer } : one));
    expect(drainsOf([...interrupted, ...held])).toHaveLength(1);
  });

  it.each([
    ["with a hook", told(), namesOf({ number: 7 }).token],
    ["by EC2 alone", unheld(told()), ""],
  ])(
    "are two where the instance was drained, stopped, started, and then drained %s",
    (_, second, token) => {
      const first = unheld(told({ from: later(begin, hours(-3)) })).map((one) => ({
        ...one,
        messageId: "stopping",
      })) as readonly Happening[];

      const drains = drainsOf([...first, ...second]);

      expect(drains).toMatchObject([
        { from: first[0]?.at, token: "", outcome: { kind: "drained" }, happenings: first },
        { from: begin, token, outcome: { kind: "drained" }, happenings: second },
      ]);
    },
  );

  it("are one where a notice is ignored while another notice is worked on", () => {
    const [first, ...others] = unheld(told());
    const rebalance = unheld(told({ from: later(begin, seconds(1)) }))
      .filter(({ kind }) => kind === "pass-started" || kind === "notice-done")
      .map((one) => ({ ...one, messageId: "rebalance" }))
      .map((one) =>
        one.kind === "notice-done"
          ? {
              ...one,
              at: later(begin, seconds(2)),
              outcome: { kind: "ignored", reason: "", why: "other" },
            }
          : one,
      );
    const again = { ...first, at: later(begin, seconds(3)), messageId: "again" };

    const drains = drainsOf([first, ...rebalance, again, ...others] as readonly Happening[]);

    expect(drains.map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
  });

  it("are two where the instance lived on between two events", () => {
    const cordoned = unheld(told({ from: later(begin, minutes(-30)) })).map((one) =>
      one.kind === "notice-done" ? { ...one, outcome: { kind: "cordoned", node } } : one,
    );

    const drains = drainsOf([...cordoned, ...tokenless(told())] as readonly Happening[]);

    expect(drains.map(({ outcome }) => outcome.kind)).toEqual(["cordoned", "drained"]);
  });

  it("end with the drain, and not when its node is removed later", () => {
    const message = { messageId: "later", instance, source: "function" } as const;
    const at = later(begin, hours(2));
    const removal: readonly Happening[] = [
      { kind: "pass-started", notice: `stopped ${instance}`, receives: 1, at, ...message },
      { kind: "node-removed", node, at, ...message, instance },
      {
        kind: "notice-done",
        notice: `stopped ${instance}`,
        outcome: { kind: "node-removed", node },
        at,
        ...message,
      },
    ];

    const [drain, ...others] = drainsOf([...told(), ...removal]);

    expect(others).toEqual([]);
    expect(drain).toMatchObject({ outcome: { kind: "drained" }, to: later(begin, seconds(352)) });
  });

  it("stay at their end while their notice comes back to clean up, and go on once a pass finds the node again", () => {
    const at = later(begin, minutes(11));
    const back = { at, messageId: "message-7", source: "function", instance } as const;
    const started: Happening = { kind: "pass-started", notice: "", receives: 2, ...back };
    const found: Happening = { kind: "node-found", node, ...back };
    const rest: Happening = { kind: "pass-ended", left: [], wait: minutes(5), ...back };

    const outcomesWith = (...later: readonly Happening[]) =>
      drainsOf([...told(), ...later]).map(({ outcome }) => outcome.kind);

    expect(outcomesWith(started)).toEqual(["drained"]);
    expect(outcomesWith(started, rest, started)).toEqual(["drained"]);
    expect(outcomesWith(started, found)).toEqual(["unfinished"]);
  });

  it("have what names only the message of their instance", () => {
    const fault = { kind: "fault", code: "internal.unexpected", message: "?", retryable: true };
    const at = later(begin, seconds(5));
    const entry = { ...fault, messageId: "message-7", at, source: "function" } as Happening;

    expect(drainsOf([entry, ...told()])[0]?.happenings).toContain(entry);
    expect(drainsOf([{ ...entry, messageId: "another" } as Happening])).toEqual([]);
  });

  it("last until the pods run elsewhere, as a replay sees them", () => {
    const replaces = "shop/db-0";
    const at = later(begin, seconds(400));
    const again = { kind: "pod-running", pod: "shop/db-0b", node: "n", replaces, at } as const;

    const [drain, ...others] = drainsOf([...told(), { ...again, source: "world" }]);

    expect(others).toEqual([]);
    expect(drain?.to).toBe(at);
  });

  it("leave out the marks of peers", () => {
    const mark = told().find(({ kind }) => kind === "node-marked") as Happening;
    const peer = { ...mark, node: "ip-192-168-18-9" } as Happening;

    const [drain] = drainsOf([peer, ...told()]);

    expect(drain?.happenings).not.toContain(peer);
    expect(rowOf([peer, ...told()], "ip-192-168-18-7")?.note).toBe(
      "labelled and cordoned at 0.9 s",
    );
  });
});

describe("the picture of a drain", () => {
  it("has the pods by tier, and what each waited for", () => {
    const [drain] = drainsOf(told());
    const pods = pictureOf(drain as RecordedDrain).rows.slice(1, 5);

    expect(pods.map(({ kind, label, note }) => [kind, label, note])).toEqual([
      ["ordinary", "shop/web-7d4b", "evicted 1.5 s, gone 31.0 s"],
      [
        "ordinary",
        "shop/checkout-6b8f",
        "held by shop/checkout 1.5 s, evicted 4 min 51 s, gone 5 min 10 s",
      ],
      ["ordinary", "shop/db-0", "evicted 20.0 s, gone by 71.0 s"],
      ["critical", "kube-system/coredns-5c9f", "evicted 5 min 11 s, gone 5 min 30 s"],
    ]);
  });

  it("tells from the next look that a pod ended between two passes", () => {
    expect(rowOf(told(), "shop/db-0")).toMatchObject({
      state: "gone",
      spans: [{}, { kind: "ending", to: later(begin, seconds(71)) }],
    });
  });

  it("tells from the outcome that a pod is gone, or that it does not end", () => {
    const silent = told().filter((one) => !(one.kind === "pod-gone" && one.pod.startsWith("kube")));
    const stuck = silent.flatMap((one): readonly Happening[] => {
      if (one.kind !== "notice-done") return [one];
      const pods = [{ pod: dns, uid: podUid("dns"), why: "stuck since 09:18" }];
      const { notice: _notice, outcome: _outcome, ...dated } = one;
      return [{ ...dated, kind: "pods-stuck", node: nodeName(node), pods }, one];
    });

    expect(rowOf(silent, dns)?.note).toBe("evicted 5 min 11 s, gone by 5 min 52 s");
    expect(rowOf(stuck, dns)).toMatchObject({
      state: "ending",
      note: "evicted 5 min 11 s, still there",
    });
  });

  it("takes a pod that a later look only skips for one that is there", () => {
    const skipping = told({ end: "none" }).map((one) =>
      one.kind === "pods-seen" && !one.holding.includes("shop/db-0")
        ? { ...one, skipped: ["shop/db-0"] }
        : one,
    );

    expect(rowOf(skipping, "shop/db-0")?.note).toBe("evicted 20.0 s, still there");
  });

  it("takes a pod that a cut line of a later look leaves out for one that may be there", () => {
    const cut = told({ end: "none" }).map((one) =>
      one.kind === "pods-seen" && !one.holding.includes("shop/db-0") ? { ...one, cut: 7 } : one,
    );

    expect(rowOf(cut, "shop/db-0")?.note).toBe("evicted 20.0 s, still there");
  });

  it("ends a pass with what its own message says", () => {
    const fault = told().find(({ kind }) => kind === "fault") as Happening;
    const other = { ...fault, messageId: "another", instance, at: later(begin, seconds(10)) };

    const passes = rowOf([...told(), other as Happening], "passes")?.spans;
    expect(passes?.[0]).toMatchObject({ from: begin, to: later(begin, seconds(50)) });
  });

  it("tells one hold as one, although every pass tells it anew, with its numbers", () => {
    const held = rowOf(told(), "shop/checkout-6b8f")?.spans.filter(({ kind }) => kind === "held");

    expect(held).toMatchObject([
      {
        from: later(begin, seconds(1.5)),
        to: later(begin, seconds(290)),
        reason: "held by shop/checkout, 3 healthy of 3 desired, 0 allowed",
      },
    ]);
  });

  it("says of a drain under way what still holds a pod, and how much time is left", () => {
    const happenings = told({ end: "none" });
    const [drain] = drainsOf(happenings);
    const picture = pictureOf(drain as RecordedDrain);

    expect(picture.state).toBe("under way");
    expect(deadlineWords(picture)).toBe("11 min 30 s left to its deadline");
    expect(rowOf(happenings, "shop/checkout-6b8f")).toMatchObject({
      state: "held",
      note: "held by shop/checkout 1.5 s, still there: budget shop/checkout allows 0 disruptions, 3 of 3 are healthy",
    });
  });

  it("shows what was waited for besides pods, each pass and each fault", () => {
    const rows = pictureOf(drainsOf(told())[0] as RecordedDrain).rows.slice(5);

    expect(
      rows.map(({ label, note, spans, marks }) => [label, note, spans.length, marks.length]),
    ).toEqual([
      ["volumes", "1 awaited from 5 min 31 s", 1, 0],
      ["load balancers", "let go at 5 min 40 s", 1, 1],
      ["Terminate-LC-Hook", "CONTINUE at 5 min 52 s", 0, 5],
      ["passes", "3 in all, 1 fault", 3, 1],
    ]);
  });

  it.each([
    ["drained", "done", "9 min 8 s before its deadline"],
    ["forced", "careful", "9 min 8 s before its deadline"],
    ["expired", "not done", "9 min 8 s before its deadline"],
  ] as const)("is %s: %s", (end, state, words) => {
    const picture = pictureOf(drainsOf(told({ end }))[0] as RecordedDrain);

    expect(picture.state).toBe(state);
    expect(deadlineWords(picture)).toBe(words);
    expect(deadlineWords({ ...picture, to: later(begin, minutes(16)) })).toBe(
      "1 min after its deadline",
    );
  });
});
