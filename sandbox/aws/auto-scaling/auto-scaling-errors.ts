import { AwsError } from "../aws-error.ts";

/** The request does not fit the present state. */
export const validationError = (message: string) => new AwsError("ValidationError", message);

/** There is no such group. */
export const noSuchGroup = () => validationError("AutoScalingGroup name not found - null");

/** There is no such instance in any group. */
export const noSuchInstance = (id: string) =>
  validationError(`Instance Id not found - No managed instance found for instance ID: ${id}`);

/** The group is already doing what the request wants. */
export const inProgress = (message: string) => new AwsError("ScalingActivityInProgress", message);
