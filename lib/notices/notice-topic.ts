import { RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AnyPrincipal,
  Effect,
  PolicyStatement,
  type Role,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";

/** How the topic is encrypted. */
export interface NoticeTopicProps {
  /** A key whose policy lets EventBridge and the hooks' role use it, if it is imported. @default a key of its own, rotated */
  readonly encryptionKey?: IKey;
}

const eventBridge = new ServicePrincipal("events.amazonaws.com");

/** The topic of all notices: only the hooks' role and EventBridge may publish, and no rule known to be of another account. */
export class NoticeTopic extends Construct {
  readonly topic: Topic;
  readonly key: IKey;

  constructor(scope: Construct, id: string, { encryptionKey }: NoticeTopicProps = {}) {
    super(scope, id);
    this.key =
      encryptionKey ??
      new Key(this, "Key", {
        description: "Encrypts the notices of terminating and launching nodes",
        enableKeyRotation: true,
        removalPolicy: RemovalPolicy.DESTROY,
      });
    // Auto Scaling and EventBridge cannot use the managed key of SNS.
    this.topic = new Topic(this, "Topic", { masterKey: this.key, enforceSSL: true });
  }

  /** Lets the role of the hooks publish. */
  admitHooks(role: Role): void {
    const { topic } = this;
    role.addToPolicy(
      new PolicyStatement({ actions: ["sns:Publish"], resources: [topic.topicArn] }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: [this.key.keyArn],
      }),
    );
    // Even administrators may not publish: only Auto Scaling and EventBridge send notices.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "NobodyElse",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          ArnNotEquals: { "aws:PrincipalArn": role.roleArn },
          Bool: { "aws:PrincipalIsAWSService": "false" },
        },
      }),
    );
  }

  /** Lets the rules of this account publish. */
  admitRules(): void {
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "Rules",
        principals: [eventBridge],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
      }),
    );
    // EventBridge may send no condition keys, so the statement above has none. A key that it does send must match.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "NoOtherAccount",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: {
          StringNotEquals: { "aws:SourceAccount": Stack.of(this).account },
          Null: { "aws:SourceAccount": "false" },
        },
      }),
    );
    // No condition: the rules' ARNs are not known here yet, and a wrong one would lose events silently.
    this.key.addToResourcePolicy(
      new PolicyStatement({
        principals: [eventBridge],
        actions: ["kms:Decrypt", "kms:GenerateDataKey"],
        resources: ["*"],
      }),
    );
  }
}
