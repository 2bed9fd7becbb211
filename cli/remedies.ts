import { Fault, type FaultCode } from "../lambda/base/fault.ts";
import { ConnectionError } from "../lambda/http/lost-connection.ts";
import { CommandFailure } from "./command-failure.ts";

/** Why something could not be done, and what to do about it. */
export interface ReasonWithRemedy {
  readonly why: string;
  readonly remedy: string;
}

const signIn = "sign in again, or give --profile";

type Hindrance = readonly [error: RegExp, why: string, remedy: string, words?: "its own words too"];

/** Errors of the SDK and AWS, and of the program of a kubeconfig, that any call may meet, by name and message. */
const hindrances: readonly Hindrance[] = [
  [
    /^Error: Region is missing/,
    "no Region of AWS is known",
    "give --region, or set AWS_REGION or the profile",
  ],
  [
    /^(?:CredentialsProviderError|TokenProviderError)/,
    "no credentials of AWS were found",
    "sign in, or give --profile",
    "its own words too",
  ],
  [/^(?:ExpiredToken|RequestExpired)/, "the credentials of AWS have expired", signIn],
  [
    /^(?:InvalidSignature|SignatureDoesNotMatch|RequestTimeTooSkewed).*(?:expired|yet current|Skewed)/,
    "AWS does not take the time of a request",
    "set the clock of this computer",
    "its own words too",
  ],
  [
    /^(?:UnrecognizedClient|InvalidClientTokenId|InvalidAccessKeyId|InvalidSignature|SignatureDoesNotMatch|AuthFailure)/,
    "AWS does not take the credentials",
    signIn,
    "its own words too",
  ],
  [
    /^Error: spawn/,
    "the program by which the kubeconfig signs in does not run",
    "install it, or correct users[].user.exec.command",
    "its own words too",
  ],
];

/** Why every call to AWS fails, if a fault says so. This is reported once, and not for each call. */
export function tryHindrance(fault: Fault): ReasonWithRemedy | undefined {
  const cause = causeOf(fault);
  if (!(cause instanceof Error)) return undefined;
  const { name, message } = cause;
  const known = hindrances.find(([error]) => error.test(`${name}: ${message}`));
  if (known === undefined) return undefined;
  const [, reason, remedy, words] = known;
  const why = words === undefined ? reason : `${reason}: ${message.replace(/\.$/, "")}`;
  return { why, remedy };
}

const causeOf = ({ cause }: Error): unknown =>
  cause instanceof Fault || cause instanceof ConnectionError ? causeOf(cause) : cause;

/** Short remedies for the faults of the function. The runbook has more. */
const remedies: Readonly<Record<FaultCode, string>> = {
  "access.incomplete": "add the groups that the message names to the entry of the role in aws-auth",
  "access.taken": "look who else maps the role, and settle on one mapping",
  "access.unreadable": "repair the text of aws-auth by hand",
  "access.wrong-type": "replace the access entry of the role by one of the right type",
  "aws.denied": "allow the function's role what it was denied",
  "aws.refused": "correct what the answer names",
  "aws.unreachable": "give the function a route to the APIs of AWS",
  "cluster.forbidden":
    "apply lambda/rights/rbac.yaml, and put the function's role into group eks-node-lifecycle",
  "cluster.not-found": "correct CLUSTER_NAME",
  "cluster.refused": "look at the API server and its webhooks",
  "cluster.taken": "update the stack that the message names, or remove it first",
  "cluster.unauthorized":
    "give the function's role an access entry, or an entry in aws-auth, in group eks-node-lifecycle",
  "cluster.unreachable":
    "see that the API server runs and that the function's subnets reach its endpoint on port 443",
  "config.invalid": "correct the function's environment",
  "event.malformed": "correct the event",
  "hook.taken": "take the group out of the list, or delete that hook first if it is yours",
  "hook.uncompleted": "allow the function's role autoscaling:CompleteLifecycleAction",
  "internal.unexpected": "report it: this is a defect of the function",
  "webhook.undelivered":
    "look whether the webhook still exists, and whether its secret has its URL",
};

export const remedyFor = (code: string): string =>
  isFaultCode(code)
    ? `${remedies[code]} (docs/runbook.md#${code.replace(".", "")})`
    : "look at the lines above";

const isFaultCode = (code: string): code is FaultCode => Object.hasOwn(remedies, code);

export type Remedies = Readonly<Partial<Record<FaultCode, string>>>;

/** The remedies for faults that are not the function's. */
const remediesForUser: Remedies = {
  "aws.denied": "sign in with a role that may do it (--profile)",
  "aws.unreachable": "check the Region (--region) and the network",
  "cluster.forbidden": "ask for the right in the cluster that the message names",
  "cluster.not-found":
    "name a cluster of this account and Region (--region, --profile), or give --kubeconfig",
  "cluster.unauthorized":
    "sign in as somebody whom it knows, or name another context with --context",
  "cluster.unreachable": "check that this computer reaches the API server, as kubectl does",
  "config.invalid": "correct the setting that the message names",
  "internal.unexpected": "repeat the command; if it fails again, report it as a defect",
};

/** The failure of a command because of a fault, with a remedy for the user. */
export function failureBy(fault: Fault, own?: Remedies): CommandFailure {
  const { why, remedy } = reasonOf(fault, own);
  return new CommandFailure(why, remedy, { cause: fault });
}

/** The reason and the remedy of a fault at a terminal. A command may have a better remedy. */
export function reasonOf(fault: Fault, own: Remedies = {}): ReasonWithRemedy {
  const { code, message: why } = fault;
  const remedy = own[code] ?? remediesForUser[code] ?? remedyFor(code);
  return tryHindrance(fault) ?? { why, remedy };
}
