import { expect, it } from "vitest";
import { type Duration, later, seconds } from "../../lambda/base/time.ts";
import { askAgain } from "../../lambda/kubernetes/ask-again.ts";
import { RefusedRequest } from "../../lambda/kubernetes/refused-request.ts";
import { QuickClock } from "../support/quick-clock.ts";

/** How often a call is sent that fails after so long each time. */
async function sent(after: Duration): Promise<number> {
  const clock = new QuickClock();
  let count = 0;
  const call = async () => {
    count += 1;
    await clock.sleep(later(clock.now(), after));
    throw new RefusedRequest(500, "failed calling webhook", {});
  };
  await expect(askAgain("marking node a", call, clock)).rejects.toThrow("failed calling webhook");
  return count;
}

it("a call is sent again once if a webhook is not answered for half a minute, so that an invocation outlives it", async () => {
  expect(await sent(seconds(28))).toBe(2);
});

it("a call is sent again three times if it fails at once", async () => {
  expect(await sent(seconds(0.1))).toBe(4);
});
