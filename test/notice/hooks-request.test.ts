import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { readHooksRequest } from "../../lambda/notice/hooks-request.ts";

const terminate = { Name: "Terminate-LC-Hook", Transition: "autoscaling:EC2_INSTANCE_TERMINATING" };
const launch = { Name: "Launch-LC-Hook", Transition: "autoscaling:EC2_INSTANCE_LAUNCHING" };
const topic = "arn:aws:sns:eu-west-1:123456789012:notices";
const role = "arn:aws:iam::123456789012:role/hooks";

const asked = (...groups: readonly string[]) => ({
  ServiceToken: "arn",
  Groups: groups,
  Hooks: [terminate, launch],
  Heartbeat: "1800",
  TopicArn: topic,
  RoleArn: role,
});

const hooksOf = (group: string) =>
  [terminate, launch].map(({ Name: name, Transition: transition }) => ({
    group,
    name,
    transition,
    heartbeat: seconds(1800),
    defaultResult: "CONTINUE",
    target: topic,
    roleArn: role,
  }));

describe("a request for hooks", () => {
  it("wants each hook of each group when the stack is made, and nothing left of it if it fails", () => {
    const event = { RequestType: "Create", ResourceProperties: asked("a", "b") };
    expect(readHooksRequest(event)).toEqual({
      added: [...hooksOf("a"), ...hooksOf("b")],
      kept: [],
      unwanted: [],
      topics: [topic, topic],
      ifItFails: "undo",
    });
  });

  it("takes the hooks from groups that left the list, and tells new groups from those that it had", () => {
    const OldResourceProperties = { ...asked("a", "b"), TopicArn: `${topic}-before` };
    const event = {
      RequestType: "Update",
      ResourceProperties: asked("b", "c"),
      OldResourceProperties,
    };
    expect(readHooksRequest(event)).toEqual({
      added: hooksOf("c"),
      kept: hooksOf("b"),
      unwanted: hooksOf("a").map((hook) => ({ ...hook, target: `${topic}-before` })),
      topics: [topic, `${topic}-before`],
      ifItFails: "keep",
    });
  });

  it("takes all hooks back with the stack", () => {
    const event = { RequestType: "Delete", ResourceProperties: asked("a") };
    expect(readHooksRequest(event)).toMatchObject({
      added: [],
      kept: [],
      unwanted: hooksOf("a"),
      ifItFails: "keep",
    });
  });

  it.each([
    [
      { Groups: [""] },
      /reading ResourceProperties\.Groups\[0\]: expected the name of an Auto Scaling group/,
    ],
    [{ Heartbeat: "soon" }, /ResourceProperties\.Heartbeat: expected a number of seconds/],
    [{ Hooks: [{ ...launch, Transition: "later" }] }, /Hooks\[0\]\.Transition: expected/],
  ])("is refused with %j", (wrong, message) => {
    const event = { RequestType: "Create", ResourceProperties: { ...asked("a"), ...wrong } };
    expect(() => readHooksRequest(event)).toThrow(message);
  });
});
