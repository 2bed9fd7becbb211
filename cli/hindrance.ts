import { Fault } from "../lambda/base/fault.ts";

/** Why something could not be done, and what to do about it. */
export interface Reason {
  readonly why: string;
  readonly remedy: string;
}

type Known = readonly [error: RegExp, reason: (message: string) => Reason];

/** What the SDK and AWS throw whatever is called, by the name of the error and its message. */
const all: readonly Known[] = [
  [
    /^Error: Region is missing/,
    () => ({
      why: "no Region of AWS is known",
      remedy: "give --region, or set AWS_REGION or the profile",
    }),
  ],
  [
    /^(?:CredentialsProviderError|TokenProviderError)/,
    (message) => ({
      why: `no credentials of AWS were found: ${message}`,
      remedy: "sign in, or give --profile",
    }),
  ],
  [
    /^(?:ExpiredToken|RequestExpired)/,
    () => ({
      why: "the credentials of AWS have expired",
      remedy: "sign in again, or give --profile",
    }),
  ],
  [
    /^(?:UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|AuthFailure)/,
    (message) => ({
      why: `AWS does not take the credentials: ${message}`,
      remedy: "sign in again, or give --profile",
    }),
  ],
];

/** What hinders every call of AWS, if a fault tells of such a thing: that is told once, and not of each call. */
export function tryHindrance(fault: Fault): Reason | undefined {
  const cause = causeOf(fault);
  if (!(cause instanceof Error)) return undefined;
  const { name, message } = cause;
  const known = all.find(([error]) => error.test(`${name}: ${message}`));
  return known?.[1](message.replace(/\.$/, ""));
}

const causeOf = (fault: Fault): unknown =>
  fault.cause instanceof Fault ? causeOf(fault.cause) : fault.cause;
