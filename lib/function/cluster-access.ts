import { CfnOutput, CustomResource, Duration, RemovalPolicy, Stack, Token } from "aws-cdk-lib";
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import type { Role } from "aws-cdk-lib/aws-iam";
import * as lambda from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { accessTimeoutSeconds, nodeEntryTypes, productName } from "../../lambda/base/contract.ts";
import type { AuthenticationMode } from "../../lambda/launch/node-mapping.ts";
import type { FunctionPlace } from "../cluster-place.ts";
import { explainWildcard } from "./explain-wildcard.ts";
import { functionCode, functionHash } from "./function-code.ts";
import { bundleRun, functionLogs, functionRole, grant, grantLog } from "./function-role.ts";
import { networkFence } from "./network-fence.ts";
import type { OtherFunction } from "./other-function.ts";
import { serviceTokenOf } from "./provider.ts";
import { networkActions } from "./queue-permissions.ts";

/** The cluster of the node function, and the function's rights there. */
export interface ClusterAccessProps {
  readonly surroundings: FunctionPlace;
  readonly authenticationMode: AuthenticationMode;
  /** The role of the node function. */
  readonly role: Role;
  readonly otherFunctions: readonly OtherFunction[];
  /** The rights for the deployer to apply. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** The roles of nodes that get an access entry from the stack. */
  readonly entered: readonly string[];
  readonly rights: RightsApplied;
  /** The processor of the deployer. @default Architecture.ARM_64 */
  readonly architecture?: lambda.Architecture | undefined;
  /** The retention of the deployer's logs. @default 30 days */
  readonly logRetention?: RetentionDays | undefined;
}

/**
 * Who applies the function's rights in the cluster: the stack, through a deployer that is an administrator there, or the
 * cluster's owner with kubectl.
 */
export type RightsApplied = "at deployment" | "by hand";

// By default CloudFormation waits an hour for a provider that cannot run. This leaves the deployer time for a second try.
const answerSeconds = 900;

/** Gives the node function access to the cluster, with only the rights that it needs. */
export class ClusterAccess extends Construct {
  constructor(scope: Construct, id: string, props: ClusterAccessProps) {
    super(scope, id);
    // In mode CONFIG_MAP the stack cannot create an access entry for a role that could edit aws-auth, so the cluster's owner
    // adds this mapping.
    if (props.authenticationMode === "CONFIG_MAP") this.#tell(props);
    else this.#admit(props);
    for (const [index, role] of props.entered.entries()) this.#enter(role, index, props);
  }

  /**
   * Creates the access entry for the role of nodes. It is retained, because nodes would lose access if it were deleted with
   * the stack.
   */
  #enter(principalArn: string, index: number, { surroundings }: ClusterAccessProps): void {
    const name = Token.isUnresolved(principalArn) ? `${index}` : principalArn;
    new CfnAccessEntry(this, `Nodes ${name.replaceAll("/", "-")}`, {
      clusterName: surroundings.cluster.clusterName,
      principalArn,
      type: nodeEntryTypes.linux,
    }).applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
  }

  #tell({ role, otherFunctions }: ClusterAccessProps): void {
    const mapping = [
      mappingOf(role, productName),
      ...otherFunctions.map(({ function: its, work }) => mappingOf(its.role, work.kubernetesGroup)),
    ];
    new CfnOutput(this, "AwsAuthMapping", {
      description: "To be added to mapRoles of the ConfigMap kube-system/aws-auth",
      value: mapping.join(""),
    });
  }

  /** Creates the access entry for the role of each function. Its group has no rights until they are applied. */
  #admit(props: ClusterAccessProps): void {
    const { clusterName } = props.surroundings.cluster;
    const entry = (name: string, { roleArn: principalArn }: Role, group: string) =>
      new CfnAccessEntry(this, name, { clusterName, principalArn, kubernetesGroups: [group] });
    const entries = [
      entry("NodeEntry", props.role, productName),
      ...props.otherFunctions.map(({ function: its, work }) =>
        entry(`${work.name}Entry`, its.role, work.kubernetesGroup),
      ),
    ];
    if (props.rights === "at deployment") this.#grant(props, entries);
  }

  #grant(props: ClusterAccessProps, entries: readonly CfnAccessEntry[]): void {
    const { clusterName } = props.surroundings.cluster;
    const deployer = this.#deployerRole();
    const admission = new CfnAccessEntry(this, "DeployerEntry", {
      clusterName,
      principalArn: deployer.roleArn,
      accessPolicies: [{ policyArn: adminPolicy(this), accessScope: { type: "cluster" } }],
    });
    const handler = this.#deployer(props, deployer);
    const fence = networkFence(this, "DeployerNetworkFence", deployer);
    this.#rights(props, handler).node.addDependency(admission, ...entries, fence);
  }

  /** The deployer has a role of its own, because only an administrator of the cluster may grant rights. */
  #deployerRole(): Role {
    const what = "Gives the node function its rights in the cluster when the stack is deployed";
    return functionRole(this, "DeployerRole", what);
  }

  #deployer(props: ClusterAccessProps, role: Role): lambda.Function {
    const { cluster, securityGroups, subnets } = props.surroundings;
    const logGroup = functionLogs(this, "DeployerLogs", props.logRetention);
    const named = { service: "eks", resource: "cluster", resourceName: cluster.clusterName };
    grant(role, ["eks:DescribeCluster"], Stack.of(this).formatArn(named));
    grantLog(role, logGroup);
    grant(role, networkActions, "*");
    explainWildcard(role, "*", inAnyVpc);
    return new lambda.Function(this, "Deployer", {
      description: `Gives the node function its rights in cluster ${cluster.clusterName}`,
      ...bundleRun(props.architecture),
      code: functionCode("access"),
      role,
      timeout: Duration.seconds(accessTimeoutSeconds),
      memorySize: 256,
      logGroup,
      vpc: cluster.vpc,
      vpcSubnets: subnets,
      securityGroups,
    });
  }

  #rights(props: ClusterAccessProps, onEventHandler: lambda.Function): CustomResource {
    const what = "Asks for the rights in the cluster on behalf of CloudFormation";
    const serviceToken = serviceTokenOf(this, onEventHandler, { ...props, what });
    return new CustomResource(this, "Rights", {
      resourceType: "Custom::EksNodeLifecycleAccess",
      serviceToken,
      serviceTimeout: Duration.seconds(answerSeconds),
      properties: {
        ClusterName: props.surroundings.cluster.clusterName,
        ...props.asked,
        ...Object.fromEntries(props.otherFunctions.flatMap(({ work }) => rightsOf(work))),
        Deployer: functionHash("access"), // CloudFormation calls the deployer again when its manifests change
      },
    });
  }
}

/** The properties that ask for the rights of a function. */
const rightsOf = ({ property, asked = {} }: OtherFunction["work"]) => [
  [property, "on"],
  ...Object.entries(asked),
];

const inAnyVpc = "Lambda refuses a role that cannot handle network interfaces on any resource.";

const mappingOf = ({ roleArn }: Role, group: string): string =>
  `- rolearn: ${roleArn}\n  username: ${group}\n  groups:\n    - ${group}\n`;

const adminPolicy = (scope: Construct): string =>
  `arn:${Stack.of(scope).partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`;
