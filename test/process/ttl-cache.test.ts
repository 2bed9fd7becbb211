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
