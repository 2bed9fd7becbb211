import type { Timeline } from "../timeline.ts";
import type { Account } from "./account.ts";
import { AutoScaling } from "./auto-scaling/auto-scaling.ts";
import { Ec2Instances } from "./auto-scaling/ec2-instances.ts";
import type { Deliver } from "./auto-scaling/instance-journeys.ts";
import type { AwsAuthData } from "./aws-auth.ts";
import { CallTrail } from "./calls.ts";
import { CloudFormation } from "./cloudformation/cloudformation.ts";
import { AccessKeys } from "./credentials/access-keys.ts";
import { TokenAuthenticator } from "./credentials/token-authenticator.ts";
import { Ec2 } from "./ec2/ec2.ts";
import { MachineImages } from "./ec2/images.ts";
import { LaunchTemplates } from "./ec2/launch-templates.ts";
import { Eks } from "./eks/eks.ts";
import { Elb } from "./elb/elb.ts";
import { Faults } from "./faults.ts";
import { Iam } from "./iam/iam.ts";
import { LambdaFunctions } from "./lambda/lambda-functions.ts";
import { LogGroups } from "./logs/log-groups.ts";
import type { Permission } from "./operation.ts";
import { Records } from "./records/record-calls.ts";
import { Secrets } from "./secrets/secrets.ts";
import { Sns } from "./sns/sns.ts";
import { Sqs } from "./sqs/sqs.ts";
import { Parameters } from "./ssm/parameters.ts";
import { ZonalShifts } from "./zonal-shifts/zonal-shifts.ts";

/** What a principal wants to do. */
export interface AccessRequest extends Permission {
  readonly principal: string;
}

/** Decides as IAM policies would. */
export type Authorize = (request: AccessRequest) => "allowed" | "denied";

/** An AWS account of the sandbox: its services, its planned faults and its recorded calls. */
export class Aws {
  readonly timeline: Timeline;
  readonly account: Account;
  readonly keys: AccessKeys;
  readonly iam: Iam;
  readonly ec2: Ec2;
  readonly templates: LaunchTemplates;
  readonly images = new MachineImages();
  readonly parameters: Parameters;
  readonly sqs: Sqs;
  readonly sns: Sns;
  readonly eks: Eks;
  readonly elb: Elb;
  readonly logs: LogGroups;
  readonly secrets = new Secrets();
  readonly autoScaling: AutoScaling;
  readonly cloudFormation: CloudFormation;
  readonly lambda: LambdaFunctions;
  readonly records = new Records();
  readonly zonalShifts: ZonalShifts;
  readonly faults = new Faults();
  readonly calls = new CallTrail();
  /** Unless this is replaced, every known principal may do everything. */
  authorize: Authorize = () => "allowed";

  constructor(timeline: Timeline, account: Account) {
    this.timeline = timeline;
    this.account = account;
    this.keys = new AccessKeys(timeline, account);
    this.iam = new Iam(timeline, account);
    this.ec2 = new Ec2(timeline);
    this.parameters = new Parameters(account);
    this.templates = new LaunchTemplates(timeline);
    this.sqs = new Sqs(timeline, account);
    this.sns = new Sns(timeline, account);
    this.eks = new Eks({ timeline, account, iam: this.iam });
    this.elb = new Elb(timeline, account);
    this.cloudFormation = new CloudFormation(timeline, account);
    this.lambda = new LambdaFunctions(timeline, account);
    this.logs = new LogGroups(timeline, account);
    this.zonalShifts = new ZonalShifts(timeline);
    const { elb, templates } = this;
    const ec2Instances = new Ec2Instances(this.ec2);
    const deliver = this.#deliver;
    this.autoScaling = new AutoScaling({
      ...{ timeline, account, elb, ec2Instances, templates, deliver },
    });
  }

  /** The authenticator that the API server of a cluster uses. */
  authenticator(cluster: string, awsAuth: () => AwsAuthData | undefined): TokenAuthenticator {
    return new TokenAuthenticator({
      timeline: this.timeline,
      keys: this.keys,
      cluster: this.eks.authenticated(cluster, awsAuth),
      privateDnsName: (id) => this.ec2.tryPrivateDnsName(id),
    });
  }

  /** A hook's target is a topic or a queue. */
  readonly #deliver: Deliver = (targetArn, publication) => {
    const queue = this.sqs.tryFindByArn(targetArn);
    const { message: body } = publication;
    if (this.sns.hasTopic(targetArn)) this.sns.publish(targetArn, publication);
    else if (queue === undefined) return "unreachable";
    else queue.send({ body, senderId: "AutoScaling", attributes: {}, traceHeader: "" });
    return "delivered";
  };
}
