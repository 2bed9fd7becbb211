import { AwsError } from "./aws-error.ts";

/** A parameter is invalid. */
export const invalidParameter = (message: string) =>
  new AwsError("InvalidParameterException", message);

/** The present state does not allow the request. */
export const invalidRequest = (message: string) => new AwsError("InvalidRequestException", message);

/** The requested object does not exist. */
export const notFound = (message: string) =>
  new AwsError("ResourceNotFoundException", message, { status: 404 });

/** The object to create exists already. */
export const inUse = (message: string) =>
  new AwsError("ResourceInUseException", message, { status: 409 });
