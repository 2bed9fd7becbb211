import { AwsError } from "./aws-error.ts";

/** Why the endpoint refuses a call before the service sees it. */
export type CallRefusal = "denied" | "mismatch" | "throttled" | "unknown-key" | "unknown-operation";

/** The code and status of a refusal; a service may have another type for it in JSON answers, or a fixed message. */
type Wording = readonly [
  code: string,
  status: number,
  own?: { readonly type?: string; readonly message?: string },
];

/** The error codes with which a service refuses calls. */
export type RefusalCodes = Readonly<Record<CallRefusal, Wording>>;

/** The codes of Auto Scaling and IAM. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html */
export const queryCodes: RefusalCodes = {
  denied: ["AccessDenied", 403],
  mismatch: ["SignatureDoesNotMatch", 403],
  throttled: ["Throttling", 400],
  "unknown-key": ["InvalidClientTokenId", 403],
  "unknown-operation": ["InvalidAction", 400],
};

const unknownKey = "AWS was not able to validate the provided access credentials";

/** The codes of EC2, which differ from those of other services. @see https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-error-codes.html */
export const ec2Codes: RefusalCodes = {
  ...queryCodes,
  denied: ["UnauthorizedOperation", 403],
  throttled: ["RequestLimitExceeded", 503, { message: "Request limit exceeded." }],
  "unknown-key": ["AuthFailure", 401, { message: unknownKey }],
};

/** The codes of EKS. @see https://docs.aws.amazon.com/eks/latest/APIReference/CommonErrors.html */
export const eksCodes: RefusalCodes = {
  denied: ["AccessDeniedException", 403],
  mismatch: ["InvalidSignatureException", 403],
  throttled: ["ThrottlingException", 429],
  "unknown-key": ["UnrecognizedClientException", 403],
  "unknown-operation": ["UnknownOperationException", 404],
};

const coral = "com.amazon.coral";
const shape = (name: string) => ({ type: `${coral}.service#${name}` });

/** The codes of SQS: the old query code, and the type it has in JSON. */
export const sqsCodes: RefusalCodes = {
  ...queryCodes,
  denied: ["AccessDenied", 403, shape("AccessDeniedException")],
  mismatch: ["SignatureDoesNotMatch", 403, shape("InvalidSignatureException")],
  throttled: ["ThrottlingException", 400, { type: `${coral}.availability#ThrottlingException` }],
  "unknown-key": ["InvalidClientTokenId", 403, shape("UnrecognizedClientException")],
};

/** Makes the error for a refusal, with the codes of one service. */
export function refuse(codes: RefusalCodes, refusal: CallRefusal, message: string): AwsError {
  const [code, status, { type = code, message: fixed = message } = {}] = codes[refusal];
  return new AwsError(code, fixed, { status, type });
}
