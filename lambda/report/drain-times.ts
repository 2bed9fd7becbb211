import {
  between,
  type Duration,
  earliest,
  later,
  latest,
  tryInstantOf,
  wholeSeconds,
} from "../base/time.ts";
import type { Outcome } from "../notice/outcome.ts";
import { type HeardPass, ofKind, outcomesOf, plain, type Values } from "./figure-row.ts";

/** The outcomes of drains. */
export const drains: readonly Outcome["kind"][] = ["drained", "forced", "expired", "kept"];

/** The whole time of the work on a notice, if it came to one of these outcomes. */
export const timeTo =
  (...kinds: readonly Outcome["kind"][]) =>
  (pass: HeardPass): Values => {
    const ended = outcomesOf(pass).filter(({ kind }) => kinds.includes(kind));
    return plain(ended.map(() => wholeSeconds(between(pass.begun, pass.to))));
  };

/** How long the hook goes without a heartbeat at most, in this pass and in the rest that follows it. */
export function heartbeatAge(pass: HeardPass): Values {
  const beats = ofKind(pass, "heartbeat").map(({ at }) => at);
  if (beats.length === 0) return [];
  const rest = ofKind(pass, "pass-ended").map(({ at, wait }) => later(at, wait));
  const ends = [...beats.slice(1), latest(pass.to, ...rest)];
  const gaps = beats.map((beat, index): Duration => between(beat, ends[index] ?? beat));
  return plain([wholeSeconds(gaps.toSorted((a, b) => b - a)[0] ?? between(pass.to, pass.to))]);
}

/** How long before its deadline a drain was over. */
export function timeLeft(pass: HeardPass): Values {
  const [deadline] = ofKind(pass, "pods-seen").flatMap(
    ({ deadline: text }) => tryInstantOf(text) ?? [],
  );
  const tightened = ofKind(pass, "mark-tightened").flatMap(
    ({ deadline: text }) => tryInstantOf(text) ?? [],
  );
  const isOver = outcomesOf(pass).some(({ kind }) => drains.includes(kind));
  if (deadline === undefined || !isOver) return [];
  return plain([wholeSeconds(between(pass.to, earliest(deadline, ...tightened)))]);
}
