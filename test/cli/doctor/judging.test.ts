import { describe, expect, it } from "vitest";
import { known, unknown } from "../../../cli/connect/found.ts";
import { apiServerVerdict } from "../../../cli/doctor/api-server.ts";
import { clockVerdict } from "../../../cli/doctor/clock.ts";
import { clusterCheck, stackVerdict } from "../../../cli/doctor/cluster.ts";
import { functionVerdict, mappingVerdict } from "../../../cli/doctor/function.ts";
import { inNoVpcVerdict } from "../../../cli/doctor/network.ts";
import { doorsVerdict } from "../../../cli/doctor/security-groups.ts";
import type { TimedAnswers } from "../../../cli/doctor/timed-answers.ts";
import { keyVerdict, subscriptionVerdict } from "../../../cli/doctor/topic.ts";
import { minutes, seconds } from "../../../lambda/base/time.ts";

const topic = "arn:aws:sns:eu-west-1:123456789012:Notices";
const queue = "arn:aws:sqs:eu-west-1:123456789012:Inbox";

describe("the version of a stack", () => {
  const saidOf = (deployed: Parameters<typeof stackVerdict>[1]) =>
    stackVerdict("Stack", deployed, "1.10.2").problems.map(({ found }) => found);

  it.each(["1.9.9", "0.11.0", "1.10.1"])(
    "is told where it is older than the program: %s",
    (version) => {
      expect(saidOf(known(version))).toEqual([
        `stack Stack is of version ${version}, and this program of 1.10.2: it examines what its own version would deploy`,
      ]);
    },
  );

  it.each(["1.10.3", "1.11.0", "2.0.0"])("is told where it is newer: %s", (version) => {
    expect(saidOf(known(version))).toEqual([expect.stringContaining("may not know")]);
  });

  it("is well where both are the same", () => {
    expect(saidOf(known("1.10.2"))).toEqual([]);
  });

  it("is older where the stack does not tell it", () => {
    const untold = unknown("", "", "output");
    expect(saidOf(untold)).toEqual([expect.stringContaining("older than this program")]);
  });
});

describe("the version of a cluster", () => {
  const judged = async (version: string) => {
    const accessConfig = { authenticationMode: "API" } as const;
    const cluster = known({ version, status: "ACTIVE", accessConfig } as const);
    const verdict = await clusterCheck({ name: "sample", cluster });
    return verdict.kind === "known" ? verdict.value : { problems: [], notes: undefined };
  };

  it.each(["1.33", "1.34", "1.35", "1.36"])(
    "is well where suites run on it: %s",
    async (version) => {
      expect(await judged(version)).toEqual({
        well: `ACTIVE, Kubernetes ${version}, authentication mode API`,
        problems: [],
        notes: [],
      });
    },
  );

  it.each([
    ["1.30", /^upgrade it to 1\.33 or newer/],
    ["1.32", /^upgrade it to 1\.33 or newer/],
    ["1.37", /^take a newer version of this program/],
    ["2.0", /^take a newer version of this program/],
  ])("is noted, and no problem, where none does: %s", async (version, remedy) => {
    const { problems, notes } = await judged(version);
    expect({ problems, notes }).toEqual({
      problems: [],
      notes: [
        {
          found: `cluster sample has Kubernetes ${version}, and this program is tested with 1.33 to 1.36`,
          remedy: expect.stringMatching(remedy),
        },
      ],
    });
  });

  it("is a problem, and no note, where it has no ValidatingAdmissionPolicy", async () => {
    expect(await judged("1.29")).toMatchObject({
      problems: [{ remedy: "upgrade it to 1.30 or newer" }],
      notes: [],
    });
  });
});

describe("the clock of this computer", () => {
  it("is well where it hardly differs from the cluster's", () => {
    expect(clockVerdict(seconds(4))).toEqual({ well: "the cluster's", problems: [] });
  });

  it("is told where it differs by more than seconds", () => {
    const well = "the clock of this computer is 1 min 40 s behind the cluster's";
    expect(clockVerdict(seconds(-100))).toEqual({ well, problems: [] });
  });

  it.each([minutes(5), minutes(-12)])(
    "is a problem where it differs so much that tokens by it are refused",
    (ahead) => {
      expect(clockVerdict(ahead).problems).toEqual([
        {
          found: expect.stringMatching(
            /clock of this computer is \d+ min .*a program of a kubeconfig/,
          ),
          remedy: expect.stringContaining("set the clock of this computer"),
        },
      ]);
    },
  );
});

describe("the API server", () => {
  const answer = (status: number, after: number) => ({ status, time: seconds(after) });
  const saidOf = (...answers: TimedAnswers) =>
    apiServerVerdict(answers).problems.map(({ found }) => found);

  it("is slow where no answer comes soon", () => {
    expect(saidOf(answer(200, 2), answer(200, 12), answer(200, 8))).toEqual([
      "the API server is slow: it takes 2 s to 12 s to answer a small request, so drains go on slowly",
    ]);
  });

  it("is not slow where one of its answers comes late", () => {
    expect(saidOf(answer(200, 12), answer(200, 1.9), answer(200, 8))).toEqual([]);
  });

  it("is busy where it refuses even one request with HTTP 429", () => {
    expect(saidOf(answer(200, 0.1), answer(429, 0.1), answer(200, 0.1))).toEqual([
      "the API server is busy: it answers 1 of 3 requests with HTTP 429, so drains go on slowly",
    ]);
  });
});

describe("the subscription", () => {
  const ends = { topic, queue, deadLetters: "arn:letters" };
  const its = {
    SubscriptionArn: "arn:its",
    RedrivePolicy: '{"deadLetterTargetArn":"arn:letters"}',
  };

  it("has no filter where the filter is empty", () => {
    expect(subscriptionVerdict(ends, { ...its, FilterPolicy: "{}" }).problems).toEqual([]);
  });

  it.each([["gone" as const], [{ PendingConfirmation: "true" }]])(
    "is made with the queue of dead letters in one command: %o",
    (found) => {
      const [{ remedy = "" } = {}] = subscriptionVerdict(ends, found).problems;

      const [, attributes = ""] = /--attributes '(.*)'$/.exec(remedy) ?? [];
      expect(remedy).toMatch(`aws sns subscribe --topic-arn ${topic} --protocol sqs`);
      expect(JSON.parse(attributes)).toEqual({ RedrivePolicy: its.RedrivePolicy });
    },
  );

  it("names the queue that gets what cannot be delivered", () => {
    const RedrivePolicy = '{"deadLetterTargetArn":"arn:others"}';

    expect(subscriptionVerdict(ends, { ...its, RedrivePolicy }).problems).toMatchObject([
      { found: expect.stringContaining("sends what it cannot deliver to arn:others") },
    ]);
  });
});

describe("the mapping", () => {
  const its = {
    UUID: "id",
    State: "Enabled" as const,
    EventSourceArn: queue,
    FunctionArn: "arn:aws:lambda:eu-west-1:123456789012:function:Drainer",
    FunctionResponseTypes: ["ReportBatchItemFailures" as const],
    ScalingConfig: { MaximumConcurrency: 10 },
    BatchSize: 10,
  };
  const ends = { queue, name: "Drainer", concurrency: 10 } as const;

  it.each(["Creating", "Enabling", "Updating"] as const)("is well while it is %s", (State) => {
    expect(mappingVerdict(ends, { ...its, State }).problems).toEqual([]);
  });

  it("drops notices by a filter", () => {
    const FilterCriteria = { Filters: [{ Pattern: '{"body":["x"]}' }] };

    expect(mappingVerdict(ends, { ...its, FilterCriteria }).problems).toMatchObject([
      { found: expect.stringContaining("has a filter, and deletes what does not fit it") },
    ]);
  });

  it("gathers no messages while the time of an interruption passes", () => {
    const within = (MaximumBatchingWindowInSeconds: number) =>
      mappingVerdict(ends, { ...its, MaximumBatchingWindowInSeconds }).problems;

    expect(within(0)).toEqual([]);
    expect(within(300)).toMatchObject([
      {
        found: expect.stringContaining("gathers messages for up to 300 s"),
        remedy: expect.stringContaining("--maximum-batching-window-in-seconds 0"),
      },
    ]);
  });

  it.each<readonly [Partial<Parameters<typeof mappingVerdict>[1] & object>, string, string]>([
    [
      { ScalingConfig: { MaximumConcurrency: 2 } },
      "lets the function work on 2 batches at the same time, not on 10",
      "--scaling-config MaximumConcurrency=10",
    ],
    [
      { ScalingConfig: {} },
      "lets the function work on any number of batches at the same time, not on 10",
      "--scaling-config MaximumConcurrency=10",
    ],
    [
      { ProvisionedPollerConfig: { MinimumPollers: 200, MaximumPollers: 2000 } },
      "has pollers of its own",
      "--provisioned-poller-config '{}'",
    ],
    [{ BatchSize: 1 }, "gives the function 1 messages at once, not 10", "--batch-size 10"],
    [
      { KMSKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/k" },
      "may have a filter that only readers of key arn:aws:kms:eu-west-1:123456789012:key/k see",
      "--filter-criteria '{}' --kms-key-arn ''",
    ],
    [
      { FilterCriteriaError: { ErrorCode: "AccessDeniedException", Message: "no" } },
      "may have a filter",
      "--filter-criteria '{}' --kms-key-arn ''",
    ],
  ])("is as it was deployed, or it says what somebody has changed: %j", (change, says, way) => {
    expect(mappingVerdict(ends, its).problems).toEqual([]);
    expect(mappingVerdict(ends, { ...its, ...change }).problems).toMatchObject([
      { found: expect.stringContaining(says), remedy: expect.stringContaining(way) },
    ]);
  });

  it("is not compared with a number of batches that the stack does not tell", () => {
    const ScalingConfig = { MaximumConcurrency: 2 };
    const before = { ...ends, concurrency: "unknown" } as const;

    expect(mappingVerdict(before, { ...its, ScalingConfig }).problems).toEqual([]);
  });

  it("gives the notices to the function, or to a version of it, and to no other", () => {
    const to = (FunctionArn: string) => mappingVerdict(ends, { ...its, FunctionArn }).problems;

    expect(to(`${its.FunctionArn}:live`)).toEqual([]);
    expect(to(`${its.FunctionArn}2`)).toMatchObject([
      { found: expect.stringMatching(/gives notices to .*Drainer2, not to Drainer/) },
    ]);
  });
});

describe("the mapping of a stack whose code was compared with its template", () => {
  const arn = "arn:aws:lambda:eu-west-1:123456789012:function:Drainer";
  const to = (FunctionArn: string) =>
    mappingVerdict(
      { queue, name: "Drainer:checked", concurrency: 10 },
      { UUID: "id", State: "Enabled", EventSourceArn: queue, FunctionArn },
    ).problems.filter(({ found }) => found.includes("gives notices"));

  it("gives the notices to that version, and not to code that nobody has compared", () => {
    expect(to(`${arn}:checked`)).toEqual([]);
    expect(to(arn)).toEqual([
      {
        found: `event source mapping id gives notices to ${arn}, not to Drainer:checked`,
        remedy: "aws lambda update-event-source-mapping --uuid id --function-name Drainer:checked",
      },
    ]);
    expect(to(`${arn}:live`)).toHaveLength(1);
  });
});

describe("the function", () => {
  const its = {
    ...({ FunctionName: "f", State: "Active", Runtime: "nodejs24.x", Timeout: 120 } as const),
  };

  it.each(["Inactive", "Pending"] as const)(
    "is well while it is %s, for Lambda wakes it",
    (State) => {
      expect(functionVerdict({ ...its, State }).problems).toEqual([]);
    },
  );

  it("has the time for a pass", () => {
    expect(functionVerdict({ ...its, Timeout: 3 }).problems).toMatchObject([
      { found: "function f is ended after 3 s, and a pass may take 120 s" },
    ]);
  });
});

it("a key that was deleted cannot be enabled", () => {
  expect(keyVerdict("arn:key", "gone").problems).toMatchObject([
    { remedy: expect.not.stringContaining("enable-key") },
  ]);
});

describe("a function in no VPC", () => {
  const open = { endpointPublicAccess: true, publicAccessCidrs: ["0.0.0.0/0"] };

  it("reaches a public endpoint that is open to every address", () => {
    expect(inNoVpcVerdict(open).problems).toEqual([]);
    expect(inNoVpcVerdict({}).problems).toEqual([]);
  });

  it.each([
    [{ ...open, endpointPublicAccess: false }, /has no public endpoint/],
    [{ ...open, publicAccessCidrs: ["192.0.2.0/24"] }, /is open only to 192\.0\.2\.0\/24/],
  ])("does not reach another: %o", (vpc, says) => {
    expect(inNoVpcVerdict(vpc).problems).toMatchObject([{ found: expect.stringMatching(says) }]);
  });
});

describe("the security groups", () => {
  const https = { IpProtocol: "tcp", FromPort: 443, ToPort: 443 };
  const all = { IpProtocol: "-1", IpRanges: [{ CidrIp: "0.0.0.0/0" }] };
  const [a, b] = [{ CidrBlock: "10.0.1.0/24" }, { CidrBlock: "10.0.2.0/24" }];
  const found = (out: object, into: readonly object[], subnets = [a, b]) =>
    doorsVerdict({
      functions: [{ GroupId: "own", IpPermissionsEgress: [out] }],
      cluster: [{ GroupId: "cluster", IpPermissions: [...into] }],
      subnets,
    }).problems.map((one) => one.found);

  it("let each subnet in by a rule of its own", () => {
    const rules = [a, b].map(({ CidrBlock: CidrIp }) => ({ ...https, IpRanges: [{ CidrIp }] }));

    expect(found(all, rules)).toEqual([]);
    expect(found(all, rules.slice(1))).toHaveLength(1);
  });

  it("do not let a subnet in of which a rule has only the beginning", () => {
    expect(found(all, [{ ...https, IpRanges: [{ CidrIp: "10.0.1.0/28" }] }], [a])).toHaveLength(1);
  });

  it("let the function in by a prefix list or by its group", () => {
    expect(found(all, [{ ...https, PrefixListIds: [{ PrefixListId: "pl-1" }] }])).toEqual([]);
    expect(found(all, [{ ...https, UserIdGroupPairs: [{ GroupId: "own" }] }])).toEqual([]);
  });

  it.each([
    ["another group", { ...https, UserIdGroupPairs: [{ GroupId: "others" }] }, 1],
    ["IPv6 alone", { ...https, Ipv6Ranges: [{ CidrIpv6: "::/0" }] }, 1],
    ["the cluster's group", { ...https, UserIdGroupPairs: [{ GroupId: "cluster" }] }, 0],
  ])("let the function out to %s", (_, out, count) => {
    expect(found(out, [all], [a])).toHaveLength(count);
  });
});
