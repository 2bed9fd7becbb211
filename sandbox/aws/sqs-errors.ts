import { AwsError } from "./aws-error.ts";

/** A refusal of SQS: the code of its old protocol, and the shape that the error has in JSON. */
const refusal = (code: string, shape: string, message: string, status = 400) =>
  new AwsError(code, message, { status, type: `com.amazonaws.sqs#${shape}` });

/** The queue does not exist. */
export const noSuchQueue = () =>
  refusal(
    "AWS.SimpleQueueService.NonExistentQueue",
    "QueueDoesNotExist",
    "The specified queue does not exist.",
  );

const invalid = (message: string) =>
  new AwsError("InvalidParameterValue", message, {
    type: "com.amazon.coral.service#InvalidParameterValueException",
  });

/** A parameter has a value that SQS does not allow. */
export const invalidValue = (name: string, value: string | number, reason: string) =>
  invalid(`Value ${value} for parameter ${name} is invalid. Reason: ${reason}`);

/** A message, with its attributes, is larger than SQS allows. */
export const tooLarge = (most: number) =>
  invalid(
    `One or more parameters are invalid. Reason: Message must be shorter than ${most} bytes.`,
  );

/** A part of a message has a character that SQS does not allow. */
export const invalidCharacter = (character: string, part: string) =>
  refusal(
    "InvalidMessageContents",
    "InvalidMessageContents",
    `Invalid binary character '#x${character.charCodeAt(0).toString(16).toUpperCase()}' was found in the ${part}, the set of allowed characters is #x9 | #xA | #xD | [#x20-#xD7FF] | [#xE000-#xFFFD] | [#x10000-#x10FFFF].`,
  );

/** The text is not a receipt handle. */
export const invalidReceipt = (receipt: string) =>
  refusal(
    "ReceiptHandleIsInvalid",
    "ReceiptHandleIsInvalid",
    `The input receipt handle "${receipt}" is not valid.`,
    404,
  );

/** The message is visible already, so it has no visibility timeout to change. */
export const notInFlight = () =>
  refusal(
    "AWS.SimpleQueueService.MessageNotInflight",
    "MessageNotInflight",
    "The specified message is not in flight.",
  );

/** A batch has too many entries. */
export const tooManyEntries = (count: number) =>
  refusal(
    "AWS.SimpleQueueService.TooManyEntriesInBatchRequest",
    "TooManyEntriesInBatchRequest",
    `Maximum number of entries per request are 10. You have sent ${count}.`,
  );
