import fc from "fast-check";
import { expect, it } from "vitest";
import { anyMessage } from "./any-message.ts";
import { expectHarmless } from "./expect-harmless.ts";
import { known, startHostileSite } from "./hostile-site.ts";

const atOnce = 500;
/** What the heap may gain after the first messages: 200 bytes for each of the others. */
const growth = 2_000_000;

it("10,000 hostile messages in one process end without harm, and leave its heap as it was", async () => {
  const messages = fc.sample(anyMessage(known), 10_000);
  const site = await startHostileSite();
  try {
    const heaps: number[] = [];
    for (let index = 0; index < messages.length; index += atOnce) {
      const some = messages.slice(index, index + atOnce);
      expectHarmless(site, some, await site.answer(some));
      heaps.push(await site.heap());
    }
    const [first = Number.NaN] = heaps;
    expect(Math.max(...heaps) - first).toBeLessThan(growth);
  } finally {
    await site.close();
  }
});
