import { RemovalPolicy } from "aws-cdk-lib";
import { AnyPrincipal, Effect, PolicyStatement, type Role } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { keyUse } from "../function/key-use.ts";

/** The encryption of the topic. */
export interface NoticeTopicProps {
  /** A key whose policy lets the hooks' role use it, if it is imported. @default a key of its own, rotated */
  readonly encryptionKey?: IKey;
}

/** The topic for the notices of hooks. Only the hooks' role may publish. */
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
    // Auto Scaling cannot use the AWS managed key of SNS.
    this.topic = new Topic(this, "Topic", { masterKey: this.key, enforceSSL: true });
  }

  /** Lets the role of the hooks publish. */
  admitHooks(role: Role): void {
    const { topic } = this;
    role.addToPolicy(
      new PolicyStatement({ actions: ["sns:Publish"], resources: [topic.topicArn] }),
    );
    role.addToPolicy(keyUse(this, this.key, ["kms:Decrypt", "kms:GenerateDataKey"], "sns"));
    // Neither administrators nor AWS services may publish. Auto Scaling uses the hooks' role.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "NobodyElse",
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ["sns:Publish"],
        resources: [topic.topicArn],
        conditions: {
          ArnNotEquals: { "aws:PrincipalArn": role.roleArn },
        },
      }),
    );
  }
}
