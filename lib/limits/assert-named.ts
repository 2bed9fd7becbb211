import { Token } from "aws-cdk-lib";
import { fileKeyOf, type Naming, unnamedIn } from "../cluster-file/unnamed.ts";
import { Refusal } from "../refusal.ts";

/** Refuses a deployment that does not name what it needs. */
export function assertNamed(naming: Naming): void {
  const clusterName = Token.isUnresolved(naming.clusterName) ? "NAME" : naming.clusterName;
  const unnamed = unnamedIn({ ...naming, clusterName });
  if (unnamed.length === 0) return;
  const wants = unnamed.map(
    (one) => `${one.list} (${fileKeyOf(one)} of the cluster's file): expected ${one.expected}`,
  );
  throw new Refusal(wants.join("\n"));
}
