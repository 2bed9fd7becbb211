import { read, readJson } from "../../lambda/base/read.ts";
import { anyText, anything, record } from "../../lambda/base/schema.ts";

const policy = record({
  deadLetterTargetArn: anyText("the ARN of a queue"),
  maxReceiveCount: anything,
});

/** A queue's redrive policy; empty for a queue that has none. */
export function redriveIn(text: string) {
  if (text === "") return { deadLetterTargetArn: "", maxReceiveCount: 0 };
  const { deadLetterTargetArn, maxReceiveCount } = read(
    policy,
    readJson(text, "RedrivePolicy"),
    "RedrivePolicy",
  );
  // SQS returns the count as it was set: as a number or as text.
  return { deadLetterTargetArn, maxReceiveCount: Number(maxReceiveCount) };
}
