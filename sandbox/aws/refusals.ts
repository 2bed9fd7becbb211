import { AwsError } from "./aws-error.ts";

/** Why the door refuses a call before the service sees it. */
export type Refusal =
  | "denied"
  | "expired-session"
  | "incomplete"
  | "mismatch"
  | "throttled"
  | "unknown-key"
  | "unknown-operation"
  | "unsigned";

type Codes = Readonly<Record<Refusal, readonly [code: string, status: number, type?: string]>>;

/** The codes of Auto Scaling and IAM. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html */
export const queryCodes: Codes = {
  denied: ["AccessDenied", 403],
  "expired-session": ["ExpiredToken", 403],
  incomplete: ["ValidationError", 400],
  mismatch: ["SignatureDoesNotMatch", 403],
  throttled: ["Throttling", 400],
  "unknown-key": ["InvalidClientTokenId", 403],
  "unknown-operation": ["InvalidAction", 400],
  unsigned: ["MissingAuthenticationToken", 403],
};

/** The codes of EC2, which has words of its own. @see https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-error-codes.html */
export const ec2Codes: Codes = {
  denied: ["UnauthorizedOperation", 403],
  "expired-session": ["RequestExpired", 400],
  incomplete: ["MissingParameter", 400],
  mismatch: ["SignatureDoesNotMatch", 403],
  throttled: ["RequestLimitExceeded", 503],
  "unknown-key": ["AuthFailure", 401],
  "unknown-operation": ["InvalidAction", 400],
  unsigned: ["AuthFailure", 401],
};

/** The codes of EKS. @see https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html */
export const eksCodes: Codes = {
  denied: ["AccessDeniedException", 403],
  "expired-session": ["ExpiredTokenException", 403],
  incomplete: ["InvalidParameterException", 400],
  mismatch: ["InvalidSignatureException", 403],
  throttled: ["ThrottlingException", 429],
  "unknown-key": ["UnrecognizedClientException", 403],
  "unknown-operation": ["UnknownOperationException", 404],
  unsigned: ["MissingAuthenticationTokenException", 403],
};

const coral = "com.amazon.coral.service#";

/** The codes of SQS: the old query code, and the type it has in JSON. */
export const sqsCodes: Codes = {
  denied: ["AccessDenied", 403, `${coral}AccessDeniedException`],
  "expired-session": ["ExpiredToken", 403, `${coral}ExpiredTokenException`],
  incomplete: ["MissingParameter", 400, `${coral}MissingRequiredParameterException`],
  mismatch: ["SignatureDoesNotMatch", 403, `${coral}InvalidSignatureException`],
  throttled: ["ThrottlingException", 400, "com.amazon.coral.availability#ThrottlingException"],
  "unknown-key": ["InvalidClientTokenId", 403, `${coral}UnrecognizedClientException`],
  "unknown-operation": ["InvalidAction", 400, `${coral}UnknownOperationException`],
  unsigned: ["MissingAuthenticationToken", 403, `${coral}MissingAuthenticationTokenException`],
};

/** Words a refusal in the codes of one service. */
export function refuse(codes: Codes, refusal: Refusal, message: string): AwsError {
  const [code, status, type = code] = codes[refusal];
  return new AwsError(code, message, { status, type });
}

/** The codes a service refuses with. */
export type RefusalCodes = Codes;
