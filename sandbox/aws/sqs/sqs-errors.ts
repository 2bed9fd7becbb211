import { AwsError } from "../aws-error.ts";

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

/** A batch is empty, has too many entries or repeats an id. */
export const badBatch = (kind: string, message: string) =>
  new AwsError(`AWS.SimpleQueueService.${kind}`, message, { type: `${sqs}${kind}` });
