import { expect } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { productName } from "../../lambda/base/contract.ts";
import type { Answers, HostileSite } from "./hostile-site.ts";

const longestLine = 1500;
const onOneLine = /^[^\p{Cc}\p{Cs}\p{Cf}\p{Zl}\p{Zp}]+$/u;
const reason = /^event\.malformed: reading \S+: expected .+, got .+$/;

/** Expects that messages touched nothing, and that each has ended: acknowledged, or as a dead letter with its reason. */
export function expectHarmless(site: HostileSite, sent: readonly string[], answers: Answers): void {
  expect(answers.unanswered).toEqual([]);
  expect(site.processes()).toBe(1);
  expectUntouched(site);
  expectEnded(sent, answers);
  for (const line of answers.lines) expectLegible(line);
}

// A message about a Spot instance is hidden for a moment, and deleted once it is done.
const ofQueues = ["ChangeMessageVisibility", "DeleteMessage", "SendMessage"];

/**
 * No request reached the cluster, but what a well-formed message of the schedule has read, and AWS took no call but those of
 * its queues and its log. It refuses a heartbeat with a wrong token.
 */
export function expectUntouched({ sandbox: { aws, cluster }, reads }: HostileSite): void {
  const made = cluster.audit.filter(({ userAgent }) => userAgent.startsWith(productName));
  expect(made.filter(({ verb }) => !(reads && ["get", "list", "watch"].includes(verb)))).toEqual(
    [],
  );
  const taken = aws.calls
    .all()
    .filter(({ action }) => !/^(?:Describe|Filter)/.test(action) && !ofQueues.includes(action))
    .filter(({ outcome }) => outcome.kind !== "refused");
  expect(taken).toEqual([]);
}

function expectEnded(sent: readonly string[], { lines, deadLetters }: Answers): void {
  const kinds = lines.map((line) => tryReadEntry(line)?.kind ?? line);
  const count = (kind: string): number => kinds.filter((one) => one === kind).length;
  const [begun, done] = [started, ended].map((some) => some.map(count).reduce((a, b) => a + b));
  expect(begun).toBe(done);
  expect(count("fault")).toBe(deadLetters.length);
  expect((done ?? 0) + count("fault")).toBe(sent.length);
  const told = [...started, ...ended, "fault", "measured", "repair-pass", "warning"].map(count);
  expect(told.reduce((sum, one) => sum + one)).toBe(lines.length);
  for (const { body, attributes } of deadLetters) {
    const { Fault: fault } = attributes;
    expect(sent).toContain(body);
    expect(fault?.StringValue).toMatch(reason);
    expectLegible(fault?.StringValue ?? "");
  }
}

const started = ["pass-started", "upgrade-pass", "repair-started"];
const ended = ["notice-done", "upgrade-answered", "repair-ended"];

/** Expects a line that no reader's terminal or log takes for something else. */
export function expectLegible(line: string): void {
  expect(line).toMatch(onOneLine);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(longestLine);
}
