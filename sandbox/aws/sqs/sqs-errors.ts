import { AwsError } from "../aws-error.ts";

const sqs = "com.amazonaws.sqs#";

/** The queue is not there. */
export const noSuchQueue = () =>
  new AwsError("AWS.SimpleQueueService.NonExistentQueue", "The specified queue does not exist.", {
    type: `${sqs}QueueDoesNotExist`,
  });

/** A parameter has a value it must not have. */
export const invalidValue = (name: string, value: string | number, reason: string) =>
  new AwsError(
    "InvalidParameterValue",
    `Value ${value} for parameter ${name} is invalid. Reason: ${reason}`,
    { type: "com.amazon.coral.service#InvalidParameterValueException" },
  );

/** The text is no receipt handle of this queue. */
export const invalidReceipt = (receipt: string) =>
  new AwsError("ReceiptHandleIsInvalid", `The input receipt handle "${receipt}" is not valid.`, {
    status: 404,
    type: `${sqs}ReceiptHandleIsInvalid`,
  });

/** The message waits to be received again: there is nothing to change. */
export const notInFlight = () =>
  new AwsError(
    "AWS.SimpleQueueService.MessageNotInflight",
    "The specified message is not in flight.",
    { type: `${sqs}MessageNotInflight` },
  );

/** A batch is not one. */
export const badBatch = (kind: string, message: string) =>
  new AwsError(`AWS.SimpleQueueService.${kind}`, message, { type: `${sqs}${kind}` });
