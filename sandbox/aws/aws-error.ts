/** The fields of an error besides its code. */
export interface ErrorTraits {
  readonly status: number;
  /** The shape name in JSON answers, if it differs from the code. */
  readonly type: string;
}

/** A service's refusal of a call; each protocol writes it in its own shape. */
export class AwsError extends Error {
  override readonly name = "AwsError";
  readonly code: string;
  readonly status: number;
  readonly type: string;

  constructor(
    code: string,
    message: string,
    { status = 400, type = code }: Partial<ErrorTraits> = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.type = type;
  }

  /** Who caused the error, in AWS's words. */
  get fault(): "Sender" | "Receiver" {
    return this.status < 500 ? "Sender" : "Receiver";
  }
}

/** The request does not fit the present state. */
export const validationError = (message: string) => new AwsError("ValidationError", message);

/** There is no such group. */
export const noSuchGroup = () => validationError("AutoScalingGroup name not found - null");

/** There is no such instance in any group. */
export const noSuchInstance = (id: string) =>
  validationError(`Instance Id not found - No managed instance found for instance ID: ${id}`);

/** The group is already doing what the request wants. */
export const inProgress = (message: string) => new AwsError("ScalingActivityInProgress", message);

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
