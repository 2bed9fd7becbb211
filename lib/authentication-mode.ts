import { Token } from "aws-cdk-lib";
import { Cluster } from "aws-cdk-lib/aws-eks";
import { Construct } from "constructs";
import { type AuthenticationMode, authenticationModes } from "../lambda/launch/node-mapping.ts";
import type { ClusterPlace } from "./cluster-place.ts";
import { Refusal } from "./refusal.ts";

const choice = authenticationModes.map((mode) => JSON.stringify(mode)).join(" or ");

/** The authentication mode of a cluster: as it is given, or as CDK knows it. Refuses to guess, and a mode that contradicts the cluster. */
export function authenticationModeOf(
  cluster: ClusterPlace,
  given: AuthenticationMode | undefined,
): AuthenticationMode {
  const known = knownMode(cluster);
  const mode = given ?? known;
  const name = Token.isUnresolved(cluster.clusterName) ? "" : ` ${cluster.clusterName}`;
  if (mode === undefined)
    throw new Refusal(
      `CDK does not know the authentication mode of the cluster${name}; authenticationMode: ${choice} will do, whichever "aws eks describe-cluster" shows as accessConfig.authenticationMode`,
    );
  if (!authenticationModes.includes(mode))
    throw new Refusal(`there is no authentication mode ${JSON.stringify(mode)}; ${choice} will do`);
  if (known !== undefined && known !== mode)
    throw new Refusal(
      `the cluster${name} has the authentication mode ${JSON.stringify(known)}, not ${JSON.stringify(mode)}; leaving authenticationMode out will do`,
    );
  return mode;
}

/** What CDK knows of a cluster that it makes; nothing of one that it imports. */
function knownMode(cluster: ClusterPlace): AuthenticationMode | undefined {
  // EKS takes this mode for a cluster that is made without any: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAccessConfigRequest.html
  if (cluster instanceof Cluster) return cluster.authenticationMode ?? "CONFIG_MAP";
  // The newer construct of CDK does not tell its mode, but its resource does.
  const made: object = (Construct.isConstruct(cluster) && cluster.node.defaultChild) || {};
  const config = "accessConfig" in made ? made.accessConfig : undefined;
  if (typeof config !== "object" || config === null) return undefined;
  return authenticationModes.find(
    (mode) => "authenticationMode" in config && mode === config.authenticationMode,
  );
}
