import {
  CompleteLifecycleActionCommand,
  DescribeAutoScalingInstancesCommand,
} from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { CreateAccessEntryCommand, DescribeClusterCommand } from "@aws-sdk/client-eks";
import { GetInstanceProfileCommand } from "@aws-sdk/client-iam";
import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { AwsServerOptions } from "../../sandbox/servers/aws-server.ts";
import { aServedAccount, clientsOf } from "../support/aws-account.ts";

type Clients = ReturnType<typeof clientsOf>;
type Service = "auto scaling" | "ec2" | "eks" | "iam" | "sqs";

async function anAccount(options: AwsServerOptions = {}) {
  const account = await aServedAccount(options);
  const { aws, server } = account;
  aws.sqs.createQueue({ name: "notices" });
  aws.autoScaling.createGroup({ name: "nodes", zones: ["eu-west-1a"] });
  aws.iam.createInstanceProfile({ name: "nodes", path: "/" }, []);
  aws.eks.createCluster({
    name: "demo",
    version: "1.36",
    endpoint: "https://127.0.0.1:6443",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  const QueueUrl = server.queueUrl("notices");
  const calls: Readonly<Record<Service, (clients: Clients) => Promise<unknown>>> = {
    "auto scaling": ({ autoScaling }) =>
      autoScaling.send(
        new CompleteLifecycleActionCommand({
          AutoScalingGroupName: "nodes",
          LifecycleHookName: "hook",
          LifecycleActionResult: "CONTINUE",
          LifecycleActionToken: "465e0162-e6af-4786-b4e8-bb544ae58790",
        }),
      ),
    ec2: ({ ec2 }) => ec2.send(new DescribeInstancesCommand({})),
    eks: ({ eks }) => eks.send(new DescribeClusterCommand({ name: "demo" })),
    iam: ({ iam }) => iam.send(new GetInstanceProfileCommand({ InstanceProfileName: "nodes" })),
    sqs: ({ sqs }) => sqs.send(new ReceiveMessageCommand({ QueueUrl })),
  };
  return { ...account, calls };
}

const listInstances = new DescribeAutoScalingInstancesCommand({});

describe("a request", () => {
  it.each<[Service, string, string]>([
    ["auto scaling", "AccessDenied", "autoscaling:CompleteLifecycleAction"],
    ["ec2", "UnauthorizedOperation", "ec2:DescribeInstances"],
    ["eks", "AccessDeniedException", "eks:DescribeCluster"],
    ["iam", "AccessDenied", "iam:GetInstanceProfile"],
    ["sqs", "AccessDenied", "sqs:receivemessage"],
  ])(
    "to %s that is not allowed is refused, and the message names the caller and the action",
    async (service, name, action) => {
      const { calls, server, key, aws } = await anAccount();
      aws.authorize = () => "denied";

      await expect(calls[service](clientsOf(server.url, key))).rejects.toMatchObject({
        name,
        message: expect.stringContaining(
          `User: arn:aws:sts::123456789012:assumed-role/drainer/test is not authorized to perform: ${action} on resource: `,
        ),
        $metadata: { httpStatusCode: 403 },
      });
    },
  );

  it("is authorized for the ARNs it names, and for the role it passes on", async () => {
    const { calls, server, key, aws, role, eks } = await anAccount();
    const asked: string[] = [];
    aws.authorize = ({ action, resource }) => {
      asked.push(`${action} ${resource}`);
      return "allowed";
    };
    const clients = clientsOf(server.url, key);

    await Promise.allSettled(Object.values(calls).map((call) => call(clients)));
    await eks.send(
      new CreateAccessEntryCommand({
        clusterName: "demo",
        principalArn: role.arn,
        type: "EC2_LINUX",
      }),
    );

    expect(new Set(asked)).toEqual(
      new Set([
        `autoscaling:CompleteLifecycleAction ${aws.autoScaling.register.findGroup("nodes").arn}`,
        "ec2:DescribeInstances *",
        "eks:DescribeCluster arn:aws:eks:eu-west-1:123456789012:cluster/demo",
        "eks:CreateAccessEntry arn:aws:eks:eu-west-1:123456789012:cluster/demo",
        `iam:PassRole ${role.arn}`,
        "iam:GetInstanceProfile arn:aws:iam::123456789012:instance-profile/nodes",
        "sqs:ReceiveMessage arn:aws:sqs:eu-west-1:123456789012:notices",
      ]),
    );
  });

  it("of a session that has ended is refused", async () => {
    const { aws, server, role, timeline } = await anAccount();
    const short = aws.keys.assume({ role, sessionName: "short", duration: minutes(15) });
    timeline.pass(minutes(15));

    await expect(clientsOf(server.url, short).autoScaling.send(listInstances)).rejects.toThrow(
      "The security token included in the request is expired",
    );
  });
});

describe("the trail", () => {
  it("records each call's caller, action, parameters and result", async () => {
    const { autoScaling, aws, timeline } = await anAccount();
    timeline.pass(seconds(3));

    await autoScaling.send(
      new DescribeAutoScalingInstancesCommand({ InstanceIds: ["i-1", "i-2"] }),
    );

    expect(aws.calls.all()).toEqual([
      {
        at: timeline.now(),
        service: "autoscaling",
        action: "DescribeAutoScalingInstances",
        parameters: { InstanceIds: ["i-1", "i-2"] },
        userAgent: expect.stringContaining("api/auto-scaling#"),
        principal: "arn:aws:sts::123456789012:assumed-role/drainer/test",
        outcome: { kind: "answered" },
      },
    ]);
  });
});

describe("a fault", () => {
  it("after the effect makes a completed action look like a missing one", async () => {
    const { retrying, aws } = await anAccount();
    aws.autoScaling.putHook("nodes", {
      name: "hook",
      transition: "autoscaling:EC2_INSTANCE_TERMINATING",
    });
    aws.autoScaling.attach({ id: "i-07e9ea9eb19a67337", group: "nodes", zone: "eu-west-1a" });
    const token = "465e0162-e6af-4786-b4e8-bb544ae58790";
    aws.autoScaling.terminate("i-07e9ea9eb19a67337", { hook: token });
    const lost = { service: "autoscaling", action: "CompleteLifecycleAction" };
    aws.faults.failNext(
      lost,
      { status: 504, code: "GatewayTimeout", message: "" },
      { moment: "after-effect" },
    );

    const completed = retrying.autoScaling.send(
      new CompleteLifecycleActionCommand({
        AutoScalingGroupName: "nodes",
        LifecycleHookName: "hook",
        LifecycleActionResult: "CONTINUE",
        LifecycleActionToken: token,
      }),
    );

    await expect(completed).rejects.toThrow(`No active Lifecycle Action found with token ${token}`);
    expect(aws.autoScaling.actions()[0]?.end).toMatchObject({ result: "CONTINUE", by: "call" });
  });
});
