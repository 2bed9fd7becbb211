import type { IPeer, ISecurityGroup, SubnetSelection } from "aws-cdk-lib/aws-ec2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { GroupTag } from "../lambda/base/ids.ts";
import type { AuthenticationMode } from "../lambda/launch/node-mapping.ts";
import type { ApiPriority } from "../lambda/rights/rights.ts";
import type { ClusterPlace } from "./cluster-place.ts";
import type { RightsApplied } from "./function/cluster-access.ts";
import type { PrivateService } from "./function/private-endpoints.ts";
import type { FunctionOptions } from "./function/queue-function.ts";
import type { QueueOptions } from "./function/work-queue.ts";
import type { ManagedGroup } from "./managed-group.ts";
import type { EventOptions } from "./notice/event-rules.ts";
import type { HookOptions } from "./notice/lifecycle-hooks.ts";
import type { DrainOptions, LaunchOptions, OwnOptions, ReportOptions } from "./options/options.ts";
import type { AlarmOptions } from "./watching/alarm-options.ts";
import type { NotifierOptions } from "./watching/notifier.ts";

/** The cluster, the groups, and how their nodes are drained and registered. */
export interface NodeLifecycleProps extends OwnOptions, NotifierOptions {
  readonly cluster: ClusterPlace;
  /** The `accessConfig.authenticationMode` of the cluster in EKS. @default that of a cluster which CDK makes; no default for any other */
  readonly authenticationMode?: AuthenticationMode | undefined;
  /** The groups to look after, which get hooks. @default only groups with the tag */
  readonly groups?: readonly ManagedGroup[];
  /**
   * Looks after every group that has this tag, too, and gives it no hooks: the outputs have the commands that do.
   * Anyone who may set this tag may have nodes drained. @default only the groups above
   */
  readonly groupTag?: GroupTag;
  /** Where the functions are. @default the private subnets of the cluster's VPC */
  readonly subnets?: SubnetSelection;
  /**
   * The functions' security groups, to which no rule is added: they must let HTTPS out, and the cluster's security group
   * must let one of them in on port 443. @default one of their own, with these rules
   */
  readonly securityGroups?: readonly ISecurityGroup[];
  /** The drain options. @default each option has its own default */
  readonly drain?: DrainOptions;
  /** The launch options. @default each option has its own default */
  readonly launch?: LaunchOptions;
  /** The ARNs of the roles of the groups' instances. Needed where the function or the stack registers nodes, and with upgrades. @default none */
  readonly nodeRoles?: readonly string[];
  /** Who applies the function's rights in the cluster; in mode `CONFIG_MAP` always its owner, by hand. @default "at deployment" */
  readonly rights?: RightsApplied;
  /**
   * `own` gives the function's requests a FlowSchema and a priority level of their own, which a group of some tens of
   * nodes that end at once needs. `shared` leaves them in the level that the cluster gives to all others. @default "shared"
   */
  readonly apiPriority?: ApiPriority;
  /**
   * Whether groups can be upgraded, by a function of its own with the rights to change their versions and sizes and to end
   * their instances. @default "off"
   */
  readonly upgrades?: "off" | "on";
  /** The launch templates of the groups by their ids, which upgrades may use and add versions to, and need. @default none */
  readonly launchTemplates?: readonly string[];
  /**
   * Whether upgrades add versions with another image to the launch templates, or launch by those alone that people have
   * made. Who may add versions may give them any instance profile of the account. @default "given"
   */
  readonly launchTemplateVersions?: "given" | "made";
  /**
   * Whether instances are repaired whose nodes are ill, or that have none, by a function of its own with the rights to have
   * groups replace instances and to reboot them. @default "off"
   */
  readonly repairs?: "off" | "on";
  /** The options of the hooks. @default each option has its own default */
  readonly hooks?: HookOptions;
  /** Which events of EventBridge reach the function, and what it does about them. @default all, and each option has its own default */
  readonly events?: EventOptions;
  /** The reports of the function besides its log. @default each option has its own default */
  readonly reports?: ReportOptions;
  /** The redelivery of notices. @default each option has its own default */
  readonly queue?: QueueOptions;
  /** The options of the function. @default each option has its own default */
  readonly function?: FunctionOptions;
  /** Which alarms there are, and whom they tell. @default all alarms, which tell nobody */
  readonly alarms?: AlarmOptions;
  /** Whether CloudWatch has a dashboard of the deployment. @default "on" */
  readonly dashboard?: "off" | "on";
  /** Whether CloudWatch Logs Insights has queries for the journal, and for what the function writes by the audit log of EKS. @default "on" */
  readonly savedQueries?: "off" | "on";
  /** Endpoints to create in a VPC without internet access. @default none */
  readonly privateEndpoints?: readonly PrivateService[];
  /** Who may use these endpoints besides the functions and the cluster's security group. @default everything in the VPC, if its CIDR block is known */
  readonly privateEndpointsAdmit?: readonly IPeer[];
  /** Where the functions may go by HTTPS: to the API server and to the APIs of AWS. @default anywhere */
  readonly httpsTo?: readonly IPeer[];
  /** The DNS servers of a VPC that has its own. @default Amazon's, which need no rule */
  readonly dnsServers?: readonly IPeer[];
  /** Encrypts the topic; its policy must let the role of the hooks use it, or leave that to IAM. @default a key of its own */
  readonly encryptionKey?: IKey;
}
