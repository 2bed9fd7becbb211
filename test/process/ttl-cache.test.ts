import { expect, it } from "vitest";
import { instant, seconds } from "../../lambda/base/time.ts";
import { TtlCache } from "../../lambda/process/ttl-cache.ts";

const aCache = () => new TtlCache<string>({ now: () => instant(0) }, () => seconds(5));

it("an answer that was forgotten while it was under way does not come back", async () => {
  const cache = aCache();
  const { promise, resolve } = Promise.withResolvers<string>();
  const late = cache.recall("state", () => promise);
  cache.forget("state");
  await cache.recall("state", async () => "new");
  resolve("old");
  await late;
  expect(await cache.recall("state", async () => "asked again")).toBe("new");
});

it("a late failure does not take a newer answer away", async () => {
  const cache = aCache();
  const { promise, reject } = Promise.withResolvers<string>();
  const late = cache.recall("state", () => promise);
  cache.forget("state");
  await cache.recall("state", async () => "new");
  reject(new Error("reset"));
  await expect(late).rejects.toThrow("reset");
  expect(await cache.recall("state", async () => "asked again")).toBe("new");
});

it("remembers very many answers without looking through all of them at each question", async () => {
  const cache = aCache();
  const questions = Array.from({ length: 300_000 }, (_, index) => `i-${index}`);
  await Promise.all(questions.map((one) => cache.recall(one, async () => one)));
  expect(await cache.recall("i-7", async () => "asked again")).toBe("i-7");
});

it("forgets an answer when its time is over, and not a moment later", async () => {
  const clock = { time: 0, now: () => instant(clock.time) };
  const cache = new TtlCache<string>(clock, () => seconds(5));
  await cache.recall("state", async () => "old");
  clock.time = seconds(5) - 1;
  expect(await cache.recall("state", async () => "new")).toBe("old");
  clock.time = seconds(5);
  expect(await cache.recall("state", async () => "new")).toBe("new");
});
