import { describe, expect, it } from "vitest";
import { groupName, instanceId } from "../../lambda/base/ids.ts";
import { usualWarning } from "../../lambda/interruption/event-notice.ts";
import { type Notice, noticeSubject, noticeTitle } from "../../lambda/notices.ts";
import { anAction, aTerminatingNotice, noon } from "../support/builders.ts";

const instance = instanceId("i-07e9ea9eb19a67337");
const since = noon;

const titles: readonly (readonly [string, Notice])[] = [
  ["terminating i-07e9ea9eb19a67337 of workers", aTerminatingNotice()],
  [
    "launching i-07e9ea9eb19a67337 of workers",
    {
      kind: "launching",
      action: anAction(),
      origin: "new",
      destination: "group",
      metadata: "",
      since,
    },
  ],
  [
    "interrupted i-07e9ea9eb19a67337",
    {
      kind: "interrupted",
      instance,
      action: "terminate",
      capacity: "spot",
      warning: usualWarning,
      since,
    },
  ],
  ["at-risk i-07e9ea9eb19a67337", { kind: "at-risk", instance, since }],
  ["stopping i-07e9ea9eb19a67337", { kind: "stopping", instance, state: "stopping", since }],
  ["stopped i-07e9ea9eb19a67337", { kind: "stopped", instance, state: "terminated", since }],
  [
    "maintenance i-07e9ea9eb19a67337, i-1",
    {
      kind: "maintenance",
      instances: [instance, instanceId("i-1")],
      status: "upcoming",
      startTime: noon,
      event: "arn:aws:health:eu-west-1::event/EC2/1",
      eventType: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
      id: "1",
      since,
    },
  ],
  ["test of workers", { kind: "test", group: groupName("workers"), since }],
  [
    "unrelated: a state change to running",
    { kind: "unrelated", reason: "a state change to running", since },
  ],
];

describe("the title of a notice", () => {
  it("names five of many instances", () => {
    const [, many] = titles.find(([, { kind }]) => kind === "maintenance") ?? [];
    const instances = Array.from({ length: 10_000 }, (_, index) => instanceId(`i-${index}`));
    if (many?.kind !== "maintenance") throw new Error("no title of a maintenance");
    expect(noticeTitle({ ...many, instances })).toBe(
      "maintenance i-0, i-1, i-2, i-3, i-4 and 9995 others",
    );
  });

  it.each(titles)("is %j", (title, notice) => {
    expect(noticeTitle(notice)).toBe(title);
  });
});

describe("the subject of a notice", () => {
  const { token, ...known } = { instance, group: groupName("workers"), token: anAction().token };

  it("is the instance that a hook holds, its group, and the token if the notice has one", () => {
    expect(noticeSubject(aTerminatingNotice())).toEqual({ ...known, token });
    const action = anAction({ token: "unsaid" });
    expect(noticeSubject(aTerminatingNotice({ action }))).toEqual(known);
  });

  it("is the group of a test, and nothing of an unrelated event", () => {
    const { group } = known;
    expect(noticeSubject({ kind: "test", group, since })).toEqual({ group });
    expect(noticeSubject({ kind: "unrelated", reason: "no", since })).toEqual({});
  });
});
