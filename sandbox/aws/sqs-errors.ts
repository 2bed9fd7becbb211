import { AwsError } from "./aws-error.ts";

const sqs = "com.amazonaws.sqs#";

/** The queue does not exist. */
export const noSuchQueue = () =>
  new AwsError("AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.", {
    type: `${sqs}QueueDoesNotExist`,
  });

/** A parameter has a value that SQS does not allow. */
export const invalidValue = (name: string, value: string | number, reason: string) =>
  new AwsError(
    "InvalidParameterValue",
    `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
    { type: "com.amazon.coral.service#InvalidParameterValueException" },
  );

/** A message, with its attributes, is larger than SQS allows. */
export const tooLarge = (most: number) =>
  new AwsError(
    "InvalidParameterValue",
    `One or more parameters are invalid. Reason: Message must be shorter than ${most} bytes.`,
    { type: "com.amazon.coral.service#InvalidParameterValueException" },
  );

/** A part of a message has a character that SQS does not allow. */
export const invalidCharacter = (character: string, part: string) =>
  new AwsError(
    "InvalidMessageContents",
    `Invalid binary character '#x${character.charCodeAt(0).toString(16).toUpperCase()}' was found in the ${part}, the set of allowed characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].`,
    { type: `${sqs}InvalidMessageContents` },
  );

/** The text is not a receipt handle. */
export const invalidReceipt = (receipt: string) =>
  new AwsError("ReceiptHandleIsInvalid", `The input receipt handle "${receipt}" is not valid.`, {
    status: 404,
    type: `${sqs}ReceiptHandleIsInvalid`,
  });

/** The message is visible already, so it has no visibility timeout to change. */
export const notInFlight = () =>
  new AwsError(
    "AWS.SimpleQueueService.MessageNotInflight",
    "The specified message is not in flight.",
    { type: `${sqs}MessageNotInflight` },
  );

/** A batch has too many entries. */
export const tooManyEntries = (count: number) =>
  new AwsError(
    "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
    `Maximum number of entries per request are 10. You have sent ${count}.`,
    { type: `${sqs}TooManyEntriesInBatchRequest` },
  );
