import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { InvocationResult } from "../../sandbox/lambda/invocation.ts";
import { placesIn, replaced } from "../support/changed-json.ts";
import {
  type Json,
  noticeIn,
  savedEvents,
  snsEnvelope,
  snsEvent,
} from "../support/saved-events.ts";
import { anyMessage } from "./any-message.ts";
import { expectHarmless } from "./expect-harmless.ts";
import { type HostileSite, known, startHostileSite } from "./hostile-site.ts";
import { deep, inherited, sendable, unprintable } from "./hostile-values.ts";

const terminate = noticeIn("sns-asg-terminate");
const health = noticeIn("eb-health-ec2-retirement-scheduled-current");
const [truth] = known.notices;

/** A message as an event, or as the body of an event's record. */
function asEvent(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return snsEvent(message);
  }
}

/** Expects an outcome, or an error that names the place. */
function expectAnswered(result: InvocationResult): void {
  const errorMessage = expect.stringMatching(/^event\.malformed: /);
  const outcome = { kind: expect.stringMatching(/^(ignored|tested)$/) };
  if (result.kind === "ok") expect(result).toMatchObject({ payload: { outcomes: [outcome] } });
  else expect(result).toMatchObject({ error: { errorType: "Fault", errorMessage } });
}

describe("the bundle touches nothing, and ends each message", () => {
  let site: HostileSite;
  beforeAll(async () => {
    site = await startHostileSite();
  });
  afterAll(() => site.close());

  const harmless = async (...messages: readonly string[]): Promise<void> =>
    expectHarmless(site, messages, await site.answer(messages));

  it("that comes as the event of a direct invocation", async () => {
    // The sandbox cannot write an event that nests 100,000 levels deep as JSON.
    const messages = fc.sample(anyMessage(known), 200).filter(({ length }) => length < 100_000);
    for (const message of messages) expectAnswered(await site.invoke(asEvent(message)));
    const { lines } = await site.answer([]);
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(1500);
    await harmless();
  });

  it("that is well formed, about an instance that is gone, held by another token, in service or in another group", async () => {
    await harmless(...known.notices.map((notice) => JSON.stringify(notice)));
  });

  it("that is well formed, from another account or Region, and again after its drain", async () => {
    const events = savedEvents.filter((name) => name.startsWith("eb-")).map(noticeIn);
    const elsewhere = { account: "999999999999", region: "ap-south-1" };
    const replayed = savedEvents.filter((name) => name.startsWith("demo-ng")).map(noticeIn);
    await harmless(
      ...events.map((event) => JSON.stringify({ ...event, ...elsewhere })),
      ...[...replayed, ...replayed].map((notice) => JSON.stringify(notice)),
    );
  });

  it("of which structure and bytes were changed at random", async () => {
    await harmless(...fc.sample(anyMessage(known), 300));
  });

  it.each([10, 7_000, 10_000])("about the maintenance of %i instances", async (count) => {
    const affectedEntities = Array.from({ length: count }, (_, index) => ({
      entityValue: `i-${index.toString(16).padStart(17, "0")}`,
    }));
    const { detail, ...event } = health;
    await harmless(JSON.stringify({ ...event, detail: { ...Object(detail), affectedEntities } }));
  });

  // The stack's queue takes no larger one.
  it.each([262_144, 1_040_384])("of %i bytes", async (size) => {
    const filled = (json: Json): string => {
      const room = size - JSON.stringify({ ...json, Further: "" }).length;
      return JSON.stringify({ ...json, Further: "x".repeat(room) });
    };
    const long = { ...terminate, AutoScalingGroupName: "g".repeat(size - 2000) };
    await harmless("x".repeat(size), filled(terminate), filled(long), filled(health));
  });

  it("that nests 100,000 levels deep, in any place", async () => {
    const inside = (value: Json, path: readonly (string | number)[]): string =>
      JSON.stringify(replaced(value, path, "deep")).replace('"deep"', () => deep(100_000));
    await harmless(
      deep(100_000),
      ...placesIn(terminate).map((path) => inside(terminate, path)),
      ...placesIn(health).map((path) => inside(health, path)),
    );
  });

  it("that has a notice under names that every object inherits", async () => {
    const poison = JSON.stringify(truth);
    await harmless(
      ...inherited.flatMap((key) => [
        `{"${key}":${poison}}`,
        `{"${key}":${poison},${poison.slice(1)}`,
        JSON.stringify(snsEnvelope(`{"${key}":${poison},"detail":{"${key}":${poison}}}`)),
      ]),
    );
  });

  it("with texts that break logs and paths, in any place", async () => {
    const samples = [terminate, health, noticeIn("eb-ec2-spot-interruption-warning-stop")];
    await harmless(
      ...[...samples, Object(truth)].flatMap((sample) =>
        placesIn(sample).flatMap((path) =>
          unprintable.map((text) => sendable(replaced(sample, path, text))),
        ),
      ),
    );
  });
});
