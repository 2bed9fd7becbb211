import { minutes, seconds } from "../../../../lambda/base/time.ts";
import { arn, type Breaks, denying, hook, id, only, topicArn } from "./break.ts";

/** Ways to break the links from hooks to the queue. */
export const noticeBreaks: Breaks = {
  hooks: [
    {
      how: "the hook of terminations is deleted",
      breaking: ({ aws }) => aws.autoScaling.deleteHook("workers", hook),
      says: /group workers has no hook for terminating instances that notifies/,
    },
    {
      how: "the hook of launches is deleted",
      breaking: ({ aws }) => aws.autoScaling.deleteHook("workers", "Launch-LC-Hook"),
      says: /group workers has no hook for launching instances/,
    },
    {
      how: "the hook notifies another topic",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, targetArn: aws.sns.createTopic("other") }),
      says: /no hook for terminating instances .*\(Terminate-LC-Hook notifies .*:other\)/,
    },
    {
      how: "the hook has another role",
      breaking: ({ aws }) => aws.autoScaling.putHook("workers", { name: hook, roleArn: "another" }),
      says: /hook Terminate-LC-Hook of group workers publishes as another/,
    },
    {
      how: "the hook waits 30 s for a heartbeat and the drain may take an hour",
      options: { tags: { "eks-node-lifecycle/drain-timeout-seconds": "3600" } },
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, heartbeat: seconds(30) }),
      says: /waits 30 s for a heartbeat, so it holds an instance for 50 min at most, and the work may take 1 h/,
    },
    {
      how: "the hook's default result is ABANDON",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", { name: hook, defaultResult: "ABANDON" }),
      says: /has the default result ABANDON, not CONTINUE/,
    },
    {
      how: "a hook of others abandons terminations",
      breaking: ({ aws }) =>
        aws.autoScaling.putHook("workers", {
          name: "theirs",
          transition: "autoscaling:EC2_INSTANCE_TERMINATING",
          defaultResult: "ABANDON",
          heartbeat: minutes(5),
        }),
      says: /hook theirs of group workers notifies others, and ends the instance by ABANDON/,
    },
  ],
  "hooks' role": [
    {
      how: "the hooks' role may not publish",
      breaking: denying(id.hooksRole, "sns:Publish"),
      says: /do not allow sns:Publish on/,
    },
    {
      how: "the hooks' role may not use the key",
      breaking: denying(id.hooksRole, "kms:GenerateDataKey"),
      says: /do not allow kms:GenerateDataKey on/,
    },
  ],
  topic: [
    {
      how: "the topic's policy denies everybody",
      breaking: ({ records, amend }) =>
        amend(records.topics, topicArn, {
          Policy: JSON.stringify({
            Statement: [{ Effect: "Deny", Action: "sns:Publish", Principal: "*", Resource: "*" }],
          }),
        }),
      says: /denies sns:Publish to the hooks' role/,
    },
    {
      how: "the topic is deleted",
      breaking: ({ records }) => {
        records.topics.delete(topicArn);
        records.subscriptions.clear();
      },
      says: /topic .* is not there, although the stack has it/,
      follows: ["subscription"],
    },
  ],
  key: [
    {
      how: "the key is to be deleted",
      breaking: ({ records, amend }) =>
        amend(records.keys, only(records.keys)[0], { KeyState: "PendingDeletion" }),
      says: /is PendingDeletion, so nobody can publish/,
    },
    {
      how: "the topic is encrypted with the key of SNS",
      breaking: ({ records, amend }) =>
        amend(records.topics, topicArn, { KmsMasterKeyId: "alias/aws/sns" }),
      says: /the key of SNS, which Auto Scaling cannot use/,
    },
  ],
  subscription: [
    {
      how: "the subscription is deleted",
      breaking: ({ records }) => records.subscriptions.clear(),
      says: /does not subscribe to/,
    },
    {
      how: "the subscription is not confirmed",
      breaking: ({ records, amend }) =>
        amend(records.subscriptions, only(records.subscriptions)[0], {
          PendingConfirmation: "true",
        }),
      says: /is not confirmed/,
    },
    {
      how: "the subscription waits for its confirmation, and has no ARN yet",
      breaking: ({ records }) => {
        const [subscription, its] = only(records.subscriptions);
        records.subscriptions.delete(subscription);
        records.subscriptions.set("PendingConfirmation", its);
      },
      says: /is not confirmed/,
    },
    {
      how: "the subscription has a filter",
      breaking: ({ records, amend }) =>
        amend(records.subscriptions, only(records.subscriptions)[0], { FilterPolicy: '{"a":[1]}' }),
      says: /has a filter, which may drop notices/,
    },
    {
      how: "the subscription has no dead letters",
      breaking: ({ records }) => {
        const [subscription, { RedrivePolicy: _, ...rest }] = only(records.subscriptions);
        records.subscriptions.set(subscription, rest);
      },
      says: /drops what it cannot deliver/,
    },
  ],
  queue: [
    {
      how: "the queue's policy lets nobody send",
      breaking: ({ records }) => records.queues.set(id.queue, { Policy: "" }),
      says: /does not let topic .* send/,
    },
    {
      how: "the queue's policy lets a rule no longer send",
      breaking: ({ records, amend }) => {
        const { Policy = "" } = records.queues.get(id.queue) ?? {};
        amend(records.queues, id.queue, { Policy: Policy.replaceAll(id.rule, "another") });
      },
      says: /does not let rule .*SpotInterruption.* send/,
    },
    {
      how: "the queue has no dead letters",
      breaking: ({ records, amend }) => amend(records.queues, id.queue, { RedrivePolicy: "" }),
      says: /sends what it cannot deliver to nobody/,
    },
    {
      how: "the queue gives up after three receives",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: arn("sqs", id.deadLetters),
            maxReceiveCount: "3",
          }),
        }),
      says: /makes a dead letter of a message after 3 receives/,
    },
    {
      how: "the queue hides a message for as long as the function may work",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, { VisibilityTimeout: "120" }),
      says: /hides a message for 120 s, and the function may work on it for 120/,
    },
    {
      how: "the queue is encrypted with the key of SQS",
      breaking: ({ records, amend }) =>
        amend(records.queues, id.queue, { KmsMasterKeyId: "alias/aws/sqs" }),
      says: /the key of SQS, which neither SNS nor EventBridge can use/,
    },
  ],
  "dead letters": [
    {
      how: "the policy of the dead letters lets nobody send",
      breaking: ({ records }) => records.queues.set(id.deadLetters, { Policy: "" }),
      says: /does not let topic .* send/,
    },
  ],
  rules: [
    {
      how: "a rule is disabled",
      breaking: ({ records, amend }) => {
        const { rule } = records.rules.get(id.rule) ?? { rule: {} };
        amend(records.rules, id.rule, { rule: { ...rule, State: "DISABLED" } });
      },
      says: /is DISABLED, so its events are not heard/,
    },
    {
      how: "a rule has lost its target",
      breaking: ({ records, amend }) => amend(records.rules, id.rule, { targets: [] }),
      says: /does not notify queue/,
    },
    {
      how: "a rule is deleted",
      breaking: ({ records }) => records.rules.delete(id.rule),
      says: /is not there, although the stack has it/,
    },
  ],
};
