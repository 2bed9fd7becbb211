import {
  AutoScalingClient,
  CompleteLifecycleActionCommand,
  CreateOrUpdateTagsCommand,
  PutLifecycleHookCommand,
} from "@aws-sdk/client-auto-scaling";
import { CreateAccessEntryCommand, EKSClient } from "@aws-sdk/client-eks";
import { parseAllDocuments } from "yaml";
import type { RbacObject } from "../../../sandbox/kubernetes/api/authorizer.ts";
import { id } from "../../lib/doctor/broken-links/break.ts";
import type { OnCallSite } from "./on-call-site.ts";

/** The remedy below the line that says what is wrong, on the screen of `status` or `doctor`. */
export function remedyBelow(screen: string, wrong: RegExp): string {
  const lines = screen.split("\n");
  const below = lines[lines.findIndex((line) => wrong.test(line)) + 1] ?? "";
  const [, remedy] = /^ {2}remedy: (.*?)(?: \(docs\/\S+\))*$/.exec(below) ?? [];
  if (remedy === undefined) throw new Error(`no remedy below ${wrong}:\n${screen}`);
  return remedy;
}

/** The only command of this project in a text. */
export function commandIn(text: string): readonly string[] {
  const found = [...text.matchAll(/`((?:dead-letters|drain|resend) [^`]+)`/g)];
  const [command] = found.map(([, words = ""]) => words).filter((words) => /--|i-/.test(words));
  if (command === undefined) throw new Error(`no command in ${text}`);
  return command.split(" ");
}

/** Does the commands of the AWS CLI in a remedy, one after the other. */
export async function doAsPrinted(remedy: string, site: OnCallSite): Promise<void> {
  const commands = remedy.split(", then ").map((one) => one.replace(/^.*?(?=aws )/, ""));
  for (const command of commands) {
    const [, service = "", operation = "", ...words] = wordsOf(command);
    const effect = effects[`${service} ${operation}`];
    if (effect === undefined) throw new Error(`nobody here knows \`${command}\``);
    await effect(argumentsIn(words), site);
  }
}

/** The words of a command line; quotes keep one together. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

type Arguments = (name: string) => string;

/** Finds the value of an option; one without a value has an empty one. */
function argumentsIn(words: readonly string[]): Arguments {
  const given = new Map<string, string>();
  words.forEach((word, index) => {
    const next = words[index + 1] ?? "";
    if (word.startsWith("--")) given.set(word.slice(2), next.startsWith("--") ? "" : next);
  });
  return (name) => {
    const value = given.get(name);
    if (value === undefined) throw new Error(`no --${name} in ${words.join(" ")}`);
    return value;
  };
}

/** What commands of the AWS CLI do: by the API that the sandbox serves, or to what it has of a service. */
const effects: Readonly<Record<string, (of: Arguments, site: OnCallSite) => unknown>> = {
  "autoscaling put-lifecycle-hook": (of) =>
    new AutoScalingClient().send(
      new PutLifecycleHookCommand({
        AutoScalingGroupName: of("auto-scaling-group-name"),
        LifecycleHookName: of("lifecycle-hook-name"),
        LifecycleTransition: of("lifecycle-transition"),
        HeartbeatTimeout: Number(of("heartbeat-timeout")),
        DefaultResult: of("default-result"),
        NotificationTargetARN: of("notification-target-arn"),
        RoleARN: of("role-arn"),
      }),
    ),
  "autoscaling complete-lifecycle-action": (of) =>
    new AutoScalingClient().send(
      new CompleteLifecycleActionCommand({
        AutoScalingGroupName: of("auto-scaling-group-name"),
        LifecycleHookName: of("lifecycle-hook-name"),
        InstanceId: of("instance-id"),
        LifecycleActionResult: of("lifecycle-action-result"),
      }),
    ),
  "autoscaling create-or-update-tags": (of) => {
    const pairs = of("tags")
      .split(",")
      .map((pair) => pair.split("="));
    const { PropagateAtLaunch: propagate, Key, ...tag } = Object.fromEntries(pairs);
    const Tags = [{ ...tag, Key, PropagateAtLaunch: propagate === "true" }];
    return new AutoScalingClient().send(new CreateOrUpdateTagsCommand({ Tags }));
  },
  "eks create-access-entry": (of) =>
    new EKSClient().send(
      new CreateAccessEntryCommand({
        clusterName: of("cluster-name"),
        principalArn: of("principal-arn"),
        kubernetesGroups: [of("kubernetes-groups")],
      }),
    ),
  "lambda delete-function-concurrency": (of, { records, deployment }) => {
    records.reserved.delete(of("function-name"));
    for (const mapping of deployment.mappings) mapping.start();
  },
  "sqs set-queue-attributes": (of, { records, amend }) =>
    amend(
      records.queues,
      of("queue-url").split("/").at(-1) ?? "",
      Object(JSON.parse(of("attributes"))),
    ),
  "lambda update-event-source-mapping": (of, { records, amend, deployment }) => {
    of("enabled");
    amend(records.mappings, of("uuid"), { State: "Enabled" });
    for (const mapping of deployment.mappings) mapping.start();
  },
  "sns subscribe": (of, { aws, records, deployment }) => {
    const [TopicArn, Endpoint] = [of("topic-arn"), of("notification-endpoint")];
    const queue = deployment.queue(Endpoint.split(":").at(-1) ?? "");
    const arn = aws.sns.subscribe(TopicArn, { kind: "queue", queue, delivery: "enveloped" });
    const ends = { TopicArn, Endpoint, Protocol: of("protocol"), PendingConfirmation: "false" };
    records.subscriptions.set(arn, { ...ends, ...Object(JSON.parse(of("attributes"))) });
  },
  "ec2 authorize-security-group-ingress": (of, { records, amend, door }) => {
    const port = Number(of("port"));
    const rule = { IpProtocol: of("protocol"), FromPort: port, ToPort: port };
    const GroupId = of("source-group");
    if (GroupId !== id.group) throw new Error(`${GroupId} is not the function's`);
    const IpPermissions = [{ ...rule, UserIdGroupPairs: [{ GroupId }] }];
    amend(records.securityGroups, of("group-id"), { IpPermissions });
    door.open();
  },
};

/** What `kubectl apply -f -` does with these manifests, as far as they grant rights; returns what it applies. */
export function applied(manifests: string, { rbac }: Pick<OnCallSite, "rbac">) {
  const objects = parseAllDocuments(manifests).flatMap((one) => (one.toJS() ?? []) as RbacObject);
  for (const object of objects.filter(({ kind }) => /Role/.test(kind))) {
    const { kind, metadata } = object;
    const at = rbac.findIndex((one) => one.kind === kind && one.metadata.name === metadata.name);
    rbac.splice(at < 0 ? rbac.length : at, at < 0 ? 0 : 1, object);
  }
  return objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
}
