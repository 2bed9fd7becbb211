import { describe, expect, it } from "vitest";
import { hasLetGo, isDone, noticeOf, refusalsOn, underWay } from "../../../cli/status/under-way.ts";
import type { Dated } from "../../../journal/entry.ts";
import { actionToken, type hookName, instanceId } from "../../../lambda/base/ids.ts";
import { instant, later, seconds, timestamp } from "../../../lambda/base/time.ts";
import { markedAtAnnotation } from "../../../lambda/drain/marking.ts";
import { aNode } from "../../support/builders.ts";

const instance = instanceId("i-07e9ea9eb19a67337");
const other = instanceId("i-00000000000000001");
const now = instant(Date.parse("2026-03-23T10:04:18Z"));
const ago = (count: number) => later(now, seconds(-count));
const launch = actionToken("11111111-1111-1111-1111-111111111111");
const end = actionToken("22222222-2222-2222-2222-222222222222");

const started = (token: typeof end, at = ago(60), about = instance): Dated => ({
  kind: "pass-started",
  notice: "",
  receives: 1,
  token,
  instance: about,
  at,
});
const beat = (hook: string, token: typeof end, at: ReturnType<typeof ago>): Dated => ({
  kind: "heartbeat",
  hook: hook as ReturnType<typeof hookName>,
  instance,
  token,
  at,
});
const fault = (code: string, token: typeof end): Dated => ({
  kind: "fault",
  code,
  message: "",
  retryable: true,
  token,
  instance,
  at: ago(50),
});
const look = (...entries: readonly Dated[]) => underWay(instance, ["end-hook"], { entries, now });

describe("what the log has of the lifecycle action that holds an instance", () => {
  it("counts passes and names the last fault", () => {
    const entries = [
      started(end),
      fault("aws.denied", end),
      started(end),
      fault("cluster.unauthorized", end),
    ];

    expect(look(...entries)).toEqual({
      heartbeatAgeSeconds: null,
      passes: 2,
      lastFault: "cluster.unauthorized",
      isStopped: true,
      ignoredFor: "",
    });
  });

  it("is not stopped by a fault of a pass before the last", () => {
    const entries = [started(end), fault("aws.denied", end), started(end)];

    expect(look(...entries)).toMatchObject({ lastFault: "aws.denied", isStopped: false });
    expect(look(started(end)).isStopped).toBe(false);
  });

  it("takes no heartbeat of the launch hook for one of the terminate hook", () => {
    expect(look(beat("launch-hook", launch, ago(241))).heartbeatAgeSeconds).toBeNull();
    expect(look(beat("end-hook", end, ago(10))).heartbeatAgeSeconds).toBe(10);
  });

  it("leaves out an action that is done, also of the same hook", () => {
    const done: Dated = {
      kind: "notice-done",
      notice: "",
      outcome: { kind: "no-node" },
      token: launch,
      instance,
      at: ago(200),
    };
    const before = [
      started(launch),
      fault("aws.denied", launch),
      beat("end-hook", launch, ago(300)),
    ];

    expect(look(...before, done, started(end))).toEqual({
      heartbeatAgeSeconds: null,
      passes: 1,
      lastFault: "",
      isStopped: false,
      ignoredFor: "",
    });
  });

  it.each([
    ["not managed", "it says", "ignored"],
    ["not held", "", "lost"],
  ] as const)(
    "has the notice ignored, unless it was not of this action: %s",
    (why, reason, notice) => {
      const outcome = { kind: "ignored", why, reason: "it says" } as const;
      const done: Dated = {
        kind: "notice-done",
        notice: "",
        outcome,
        token: end,
        instance,
        at: now,
      };
      const its = look(started(end), done);

      expect(its).toMatchObject({ passes: 0, ignoredFor: reason });
      expect(noticeOf(its, { waiting: 0, inFlight: 0, dead: 0 })).toBe(notice);
      expect(look(started(end), done, started(launch))).toMatchObject({ passes: 1 });
    },
  );

  it("leaves out other instances", () => {
    expect(look(started(end, ago(60), other)).passes).toBe(0);
  });
});

describe("the action by which hooks hold an instance", () => {
  const letsGo = (token = end): Dated => ({
    kind: "notice-done",
    notice: "",
    outcome: { kind: "no-node" },
    token,
    instance,
    at: ago(20),
  });
  const whole = [started(end), beat("end-hook", end, ago(50)), letsGo()];
  const hasEnded = (...entries: readonly Dated[]) => hasLetGo(instance, ["end-hook"], entries);

  it("is ended by the function once its notice is done", () => {
    expect(hasEnded(...whole)).toBe(true);
    expect(hasEnded(...whole, started(launch, ago(10), other))).toBe(true);
  });

  it("is not ended while its notice is not done, where only another action is, or where nothing is known", () => {
    expect(hasEnded(...whole.slice(0, 2))).toBe(false);
    expect(hasEnded(...whole, started(launch, ago(10)))).toBe(false);
    expect(hasEnded(started(launch), beat("launch-hook", launch, ago(50)), letsGo(launch))).toBe(
      false,
    );
    expect(hasEnded()).toBe(false);
  });
});

describe("the drain of a marked node", () => {
  const node = aNode({ annotations: { [markedAtAnnotation]: timestamp(ago(60)) } });
  const spot = (messageId: string, count: number, about = instance) => {
    const subject = { messageId, instance: about, at: ago(count) };
    return {
      begun: { kind: "pass-started", notice: "", receives: 1, ...subject } as Dated,
      done: {
        kind: "notice-done",
        notice: "",
        outcome: { kind: "nothing-left" },
        ...subject,
      } as Dated,
    };
  };

  it("is over once its notice is done, and no other one of its instance is under way", () => {
    const all = [spot("a", 61).begun, spot("a", 20).done];
    expect(isDone(node, all)).toBe(true);
    expect(isDone(node, [...all, spot("b", 70, other).begun])).toBe(true);
  });

  it.each<[string, readonly Dated[]]>([
    ["nothing is known", []],
    ["its pass goes on", [spot("a", 61).begun]],
    ["only a notice from before its mark is done", [spot("a", 70).begun, spot("a", 65).done]],
    ["another notice is under way", [spot("b", 62).begun, spot("a", 61).begun, spot("a", 20).done]],
    ["only a notice of another instance is done", [spot("a", 20, other).done]],
  ])("is not over while %s", (_, entries) => {
    expect(isDone(node, entries)).toBe(false);
  });
});

describe("the refused requests for the pods of a node", () => {
  const refused = (about: typeof instance, message: string): Dated => ({
    kind: "pod-refused",
    pod: "shop/web",
    verb: "evict",
    past: "",
    why: "denied",
    message,
    instance: about,
    at: ago(10),
  });

  it("are the last of each pod, on this node alone", () => {
    const node = aNode();
    const all = [refused(instance, "first"), refused(instance, "last"), refused(other, "theirs")];

    expect(refusalsOn(node, all).get("shop/web")).toMatchObject({ message: "last" });
  });
});
