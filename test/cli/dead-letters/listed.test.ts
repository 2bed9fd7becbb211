import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { listed } from "../../../cli/dead-letters/listed.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { aServedAccount } from "../../support/aws-account.ts";

/** A queue with three dead letters. */
async function threeLetters() {
  const { aws, server, sqs, timeline } = await aServedAccount();
  const dead = aws.sqs.createQueue({ name: "dead" });
  const url = server.queueUrl("dead");
  for (const body of ["one", "two", "three"])
    await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: body }));
  return { dead, timeline, letters: listed(url, sqs) };
}

it("a reader that stops at the first dead letter leaves all of them visible", async () => {
  const { dead, letters } = await threeLetters();
  for await (const _ of letters) break;
  expect(dead.visible()).toHaveLength(3);
});

it("a reader so slow that the letters come again meets each once, and leaves all of them visible", async () => {
  const { dead, letters, timeline } = await threeLetters();
  const seen: string[] = [];
  for await (const { messageId } of letters) {
    seen.push(messageId);
    if (seen.length === 3) timeline.pass(seconds(121));
  }
  expect(new Set(seen).size).toBe(3);
  expect(seen).toHaveLength(3);
  expect(dead.visible()).toHaveLength(3);
});
