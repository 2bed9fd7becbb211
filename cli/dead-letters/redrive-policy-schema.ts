import * as z from "zod/mini";
import { read, readJson } from "../../lambda/schema/read.ts";

const policy = z.object({
  deadLetterTargetArn: z.string("the ARN of a queue"),
});

/** Reads out of a queue's redrive policy the ARN of the queue that has its dead letters. */
export const deadLettersIn = (text: string): string =>
  read(policy, readJson(text, "RedrivePolicy"), "RedrivePolicy").deadLetterTargetArn;
