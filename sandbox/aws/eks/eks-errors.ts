import { AwsError } from "../aws-error.ts";

/** A parameter is not as it must be. */
export const invalidParameter = (message: string) =>
  new AwsError("InvalidParameterException", message);

/** The request cannot be met in the state things are in. */
export const invalidRequest = (message: string) => new AwsError("InvalidRequestException", message);

/** What is asked for is not there. */
export const notFound = (message: string) =>
  new AwsError("ResourceNotFoundException", message, { status: 404 });

/** What is to be created is there already. */
export const inUse = (message: string) =>
  new AwsError("ResourceInUseException", message, { status: 409 });
