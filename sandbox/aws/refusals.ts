import { AwsError } from "./aws-error.ts";

/** Why the endpoint refuses a call before the service sees it. */
export type CallRefusal = "denied" | "mismatch" | "throttled" | "unknown-key" | "unknown-operation";

interface Wording {
  readonly code: string;
  readonly status: number;
  /** The type in JSON answers, if it differs from the code. */
  readonly type?: string;
  /** The fixed message of the service, which replaces the specific one. */
  readonly message?: string;
}

type Codes = Readonly<Record<CallRefusal, Wording>>;

/** The codes of Auto Scaling and IAM. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html */
export const queryCodes: Codes = {
  denied: { code: "AccessDenied", status: 403 },
  mismatch: { code: "SignatureDoesNotMatch", status: 403 },
  throttled: { code: "Throttling", status: 400 },
  "unknown-key": { code: "InvalidClientTokenId", status: 403 },
  "unknown-operation": { code: "InvalidAction", status: 400 },
};

/** The codes of EC2, which differ from those of other services. @see https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-error-codes.html */
export const ec2Codes: Codes = {
  denied: { code: "UnauthorizedOperation", status: 403 },
  mismatch: { code: "SignatureDoesNotMatch", status: 403 },
  throttled: { code: "RequestLimitExceeded", status: 503, message: "Request limit exceeded." },
  "unknown-key": {
    code: "AuthFailure",
    status: 401,
    message: "AWS was not able to validate the provided access credentials",
  },
  "unknown-operation": { code: "InvalidAction", status: 400 },
};

/** The codes of EKS. @see https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html */
export const eksCodes: Codes = {
  denied: { code: "AccessDeniedException", status: 403 },
  mismatch: { code: "InvalidSignatureException", status: 403 },
  throttled: { code: "ThrottlingException", status: 429 },
  "unknown-key": { code: "UnrecognizedClientException", status: 403 },
  "unknown-operation": { code: "UnknownOperationException", status: 404 },
};

const coral = "com.amazon.coral.service#";

/** The codes of SQS: the old query code, and the type it has in JSON. */
export const sqsCodes: Codes = {
  denied: { code: "AccessDenied", status: 403, type: `${coral}AccessDeniedException` },
  mismatch: {
    code: "SignatureDoesNotMatch",
    status: 403,
    type: `${coral}InvalidSignatureException`,
  },
  throttled: {
    code: "ThrottlingException",
    status: 400,
    type: "com.amazon.coral.availability#ThrottlingException",
  },
  "unknown-key": {
    code: "InvalidClientTokenId",
    status: 403,
    type: `${coral}UnrecognizedClientException`,
  },
  "unknown-operation": { code: "InvalidAction", status: 400 },
};

/** Makes the error for a refusal, with the codes of one service. */
export function refuse(codes: Codes, refusal: CallRefusal, message: string): AwsError {
  const { code, status, type = code, message: usual = message } = codes[refusal];
  return new AwsError(code, usual, { status, type });
}

/** The error codes with which a service refuses calls. */
export type RefusalCodes = Codes;
