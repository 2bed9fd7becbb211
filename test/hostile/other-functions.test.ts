import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placesIn, replaced } from "../support/changed-json.ts";
import { noticeIn, savedEvents } from "../support/saved-events.ts";
import { anyMessage } from "./any-message.ts";
import { expectHarmless, expectLegible, expectUntouched } from "./expect-harmless.ts";
import { type HostileSite, knownOfOthers, startHostileSite } from "./hostile-site.ts";
import { deep, inherited, sendable, unprintable } from "./hostile-values.ts";

const samples = knownOfOthers.notices;
const largest = 1_040_384;

describe.each(["upgrade", "repair"] as const)(
  "the bundle of the %s function changes nothing, and ends each message",
  (name) => {
    let site: HostileSite;
    beforeAll(async () => {
      site = await startHostileSite(name);
    });
    afterAll(() => site.close());

    const harmless = async (...messages: readonly string[]): Promise<void> =>
      expectHarmless(site, messages, await site.answer(messages));

    it("that is well formed, about groups that are not managed", async () => {
      await harmless(...samples.map((sample) => JSON.stringify(sample)));
    });

    it("that is for another function", async () => {
      await harmless(...savedEvents.map((event) => JSON.stringify(noticeIn(event))));
    });

    it("of which structure and bytes were changed at random", async () => {
      await harmless(...fc.sample(anyMessage(knownOfOthers), 150));
    });

    it("that is huge, or nests 100,000 levels deep, in any place", async () => {
      const [sample] = samples;
      const inside = placesIn(sample).map((path) =>
        JSON.stringify(replaced(sample, path, "deep")).replace('"deep"', () => deep(100_000)),
      );
      await harmless("x".repeat(largest), deep(100_000), ...inside);
    });

    it("that has its fields under names that every object inherits", async () => {
      await harmless(
        ...inherited.flatMap((key) =>
          [samples[0], samples.at(-1)].map((sample) => `{"${key}":${JSON.stringify(sample)}}`),
        ),
      );
    });

    it("with texts that break logs and paths, in any place", async () => {
      await harmless(
        ...[samples[0], samples.at(-1)].flatMap((sample) =>
          placesIn(sample).flatMap((path) =>
            unprintable.map((text) => sendable(replaced(sample, path, text))),
          ),
        ),
      );
    });
  },
);

describe("the bundle of the webhook function changes nothing, and ends each event", () => {
  let site: HostileSite;
  beforeAll(async () => {
    site = await startHostileSite("webhook");
  });
  afterAll(() => site.close());

  const packed = (content: unknown) => ({
    awslogs: {
      data: gzipSync(typeof content === "string" ? content : JSON.stringify(content)).toString(
        "base64",
      ),
    },
  });
  const lines = (...messages: readonly unknown[]) =>
    packed({ logEvents: messages.map((message) => ({ message })) });
  const over = {
    at: "2026-11-20T10:00:00.000Z",
    kind: "drain-news",
    instance: "i-0598c7d356eba48d7",
    news: "end",
    tone: "warning",
    node: "node-1",
    since: "2026-11-20T10:00:00.000Z",
    text: "the deadline came first; left: demo/web",
    advice: "look",
  };

  /** Expects nothing done, or an error that says legibly what was wrong. */
  async function harmless(event: unknown): Promise<void> {
    const result = await site.invoke(event);
    if (result.kind !== "ok") {
      expect(result).toMatchObject({ error: { errorType: "Fault" } });
      if (result.kind === "error") expectLegible(result.error.errorMessage);
    }
    const { lines: told } = await site.answer([]);
    // Lambda's own runtime tells of an error with tabs.
    for (const line of told.filter((one) => one.startsWith("{"))) expectLegible(line);
    expect(site.processes()).toBe(1);
    expectUntouched(site);
  }

  it("that is no batch of lines", async () => {
    const batch = lines(JSON.stringify(over));
    const wrong = placesIn(batch).flatMap((path) =>
      [null, 42, [], "x", ...unprintable].map((by) => replaced(batch, path, by)),
    );
    for (const event of wrong) await harmless(event);
  });

  it("whose lines are malformed, deep, huge when unpacked, or no text", async () => {
    const wrong = [deep(100_000), "{", "x".repeat(20_000_000), [], { logEvents: {} }];
    for (const content of wrong) await harmless(packed(content));
    await harmless(lines(null, 42, deep(100_000), "{", "x".repeat(300_000)));
  });

  it("whose lines have fields under names that every object inherits", async () => {
    for (const key of inherited)
      await harmless(lines(`{"${key}":${JSON.stringify(over)}}`, `{"text":{"${key}":{}}}`));
  });

  it("whose lines have wrong values in any place", async () => {
    const changed = placesIn(over).flatMap((path) =>
      [null, 42, [], ...unprintable].map((by) => JSON.stringify(replaced(over, path, by))),
    );
    await harmless(lines(...changed));
  });
});
