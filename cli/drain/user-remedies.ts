import type { Fault, FaultCode } from "../../lambda/fault.ts";
import { CommandFailure } from "../command-failure.ts";
import { remedyFor } from "../remedies.ts";

/** What the user of a command can do about a fault that is no matter of the function. */
const remedies: Partial<Record<FaultCode, string>> = {
  "aws.denied": "sign in with a role that may do it (--profile), or leave AWS out with --no-aws",
  "aws.unreachable":
    "see that this computer reaches the APIs of AWS, or leave AWS out with --no-aws",
  "cluster.forbidden": "ask for the rights that `eks-node-lifecycle drain --help` lists",
  "cluster.not-found": "name a cluster of this account and Region (--cluster, --region, --profile)",
  "cluster.unauthorized": "sign in to the cluster again, or name another context with --context",
  "internal.unexpected": "repeat the command; if it fails again, report it as a defect",
  "cluster.unreachable": "see that this computer reaches the API server, as kubectl does",
};

/** What to do about a fault that somebody meets at a terminal. */
export const remedyForUser = (code: FaultCode): string => remedies[code] ?? remedyFor(`${code}: `);

/** The failure of a command by a fault that somebody meets at a terminal. */
export const failureForUser = (fault: Fault): CommandFailure =>
  new CommandFailure(fault.message, remedyForUser(fault.code), { cause: fault });
