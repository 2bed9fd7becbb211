import { describe, expect, it } from "vitest";
import { hours, instant, minutes, seconds } from "../../lambda/base/time.ts";
import {
  isTriedEnough,
  receivesOfMessage,
  receivesOfNotice,
  receptionOf,
  restOf,
} from "../../lambda/notice/renewal.ts";

const first = instant(0);
const received = (ofMessage: number, before = 0) => ({ ofMessage, before, first });

describe("a message whose notice rests", () => {
  it("comes back itself until it has been received 20 times, and then a fresh one in its place", () => {
    const wait = seconds(30);
    expect(restOf(received(1), wait)).toEqual({ kind: "postponed", wait });
    expect(restOf(received(19), wait)).toEqual({ kind: "postponed", wait });
    expect(restOf(received(20), wait)).toEqual({ kind: "renewed", wait });
    expect(restOf(received(70), wait)).toEqual({ kind: "renewed", wait });
  });

  it("rests for half a day if it is asked to", () => {
    expect(restOf(received(4), hours(12))).toEqual({ kind: "postponed", wait: hours(12) });
  });

  it("has been received three times before the alarm of waiting notices would go off", () => {
    for (const ofMessage of [1, 2, 3])
      expect(restOf(received(ofMessage), hours(12)).wait).toBe(minutes(1));
    expect(restOf(received(receivesOfMessage), hours(12)).wait).toBe(minutes(1));
  });
});

describe("a notice that meets a fault in every pass", () => {
  it("has been tried often enough at its 1,500th receive, whatever messages it was in", () => {
    expect(receivesOfNotice(received(19, 1480))).toBe(1499);
    expect(isTriedEnough(receptionOf(received(19, 1480)))).toBe(false);
    expect(isTriedEnough(receptionOf(received(20, 1480)))).toBe(true);
  });
});
