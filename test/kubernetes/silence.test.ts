import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { Silence } from "../../lambda/kubernetes/watch-once.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("a stream that sends something every few seconds is not silent, however long it takes", () => {
  const callBack = vi.fn();
  const silence = new Silence(systemClock, seconds(5), callBack);
  for (let passed = 0; passed < 60; passed += 4) {
    vi.advanceTimersByTime(4000);
    silence.heard();
  }
  expect(callBack).not.toHaveBeenCalled();
  vi.advanceTimersByTime(4999);
  expect(callBack).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(callBack).toHaveBeenCalledOnce();
});

it("a stream that nobody listens to any more is not called silent", () => {
  const callBack = vi.fn();
  new Silence(systemClock, seconds(5), callBack).over();
  vi.advanceTimersByTime(60_000);
  expect(callBack).not.toHaveBeenCalled();
});
