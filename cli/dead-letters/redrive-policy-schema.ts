import { read, readJson } from "../../lambda/schema/read.ts";
import { anyText, record } from "../../lambda/schema/schema.ts";

const policy = record({
  deadLetterTargetArn: anyText("the ARN of a queue"),
});

/** Reads out of a queue's redrive policy the ARN of the queue that has its dead letters. */
export const deadLettersIn = (text: string): string =>
  read(policy, readJson(text, "RedrivePolicy"), "RedrivePolicy").deadLetterTargetArn;
