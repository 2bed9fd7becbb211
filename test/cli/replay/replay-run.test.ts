import { describe, expect, it } from "vitest";
import type { ReplayRequest } from "../../../cli/replay/replay-request.ts";
import { type ReplayStage, runReplay } from "../../../cli/replay/replay-run.ts";
import type { Entry } from "../../../journal/entry.ts";
import { type Happening, ofKind, type WorldEntry } from "../../../journal/happening.ts";
import { minutes, seconds } from "../../../lambda/base/time.ts";
import { Aws } from "../../../sandbox/aws/aws.ts";
import { EventLog } from "../../../sandbox/event-log.ts";
import { SandboxCluster } from "../../../sandbox/kubernetes/sandbox-cluster.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { VirtualTimeline } from "../../../sandbox/timeline.ts";
import { drain, node, start } from "./a-story.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const message = { subject: "", message: "{}", place: "" };
const request: ReplayRequest = {
  event: "events/x.json",
  messages: [message],
  action: terminateAction,
  via: "queue",
  broken: "nothing",
  drainTimeout: "as usual",
  launchTimeout: "as usual",
  timeout: seconds(20),
  format: "text",
  page: "",
};

const ended = (handedBack: number): WorldEntry => ({ ...answered, handedBack });
const answered = { kind: "invocation-ended", how: "answered", error: "", code: "" } as const;

const killed: WorldEntry = { ...answered, how: "failed", error: "killed", handedBack: 1 };

/** A sandbox in which only that happens which the test says. */
function aStage(messages: ReplayRequest["messages"] = request.messages) {
  const timeline = new VirtualTimeline(start);
  const aws = new Aws(timeline, account);
  const eventLog = new EventLog(timeline);
  const { names } = demoNode;
  const queue = aws.sqs.createQueue({ name: names.queue });
  aws.sqs.createQueue({ name: names.deadLetters });
  const cluster = new SandboxCluster(timeline);
  const stage: ReplayStage = {
    aws,
    cluster,
    deployment: { queue: (name: string) => aws.sqs.findQueue(name) },
    happenings: () => eventLog.happenings,
    onHappening: (listener: (happening: Happening) => void) => eventLog.onHappening(listener),
    publish: () => queue.send({ body: "{}", senderId: "", attributes: {}, traceHeader: "" }),
    invoke: () => Promise.reject(new Error("these replays go through the queue")),
  };
  const tell = ({ source, at, ...entry }: Happening): void => {
    const text = JSON.stringify({ at: new Date(at).toISOString(), ...entry });
    if (source === "function") eventLog.hear({ source: "function", text });
    else eventLog.tell(entry as WorldEntry);
  };
  const done = async (): Promise<void> => {
    const gone = new AbortController().signal;
    const taken = await queue.receive({ max: 10, wait: seconds(0), visibility: seconds(9), gone });
    for (const { receipt } of taken) queue.delete(receipt);
  };
  const run = () => runReplay(stage, { ...request, messages }, new AbortController().signal);
  const inQueue = () => queue.contents().map(({ message: { id } }) => id);
  const pass = (messageId: string, entry: Entry): void => {
    tell({ ...entry, messageId, at: start, source: "function" });
    eventLog.tell(ended(1));
  };
  return { eventLog, cluster, tell, done, run, messages: inQueue, pass };
}

const cordoned: Entry = {
  kind: "notice-done",
  notice: "at-risk i-1",
  outcome: { kind: "cordoned", node },
};
const rests: Entry = {
  kind: "pass-ended",
  left: [{ about: "", why: "it begins later" }],
  wait: minutes(5),
};

const settled = async (promise: Promise<unknown>): Promise<"settled" | "open"> => {
  const turn = new Promise<"open">((resolve) => setTimeout(() => resolve("open"), 20));
  return Promise.race([promise.then(() => "settled" as const), turn]);
};

describe("a replay", () => {
  it("waits for the replacements of evicted pods when the function is done", async () => {
    const { tell, done, run, eventLog } = aStage();
    const replay = run();
    for (const happening of drain.filter(({ kind }) => kind !== "pod-running")) tell(happening);
    await done();
    eventLog.tell(ended(0));
    const [first, second] = ofKind(drain, "pod-running");

    expect(await settled(replay)).toBe("open");
    if (first !== undefined) tell(first);
    expect(await settled(replay)).toBe("open");
    if (second !== undefined) tell(second);

    const { ending, happenings } = await replay;
    expect(ending).toBe("answered");
    expect(ofKind(happenings, "pod-running")).toHaveLength(2);
  });

  it("goes on after a pass that is not done", async () => {
    const { eventLog, tell, done, run } = aStage();
    const replay = run();

    tell({ kind: "pass-ended", left: [], wait: seconds(5), at: start, source: "function" });
    eventLog.tell(ended(1));
    expect(await settled(replay)).toBe("open");

    await done();
    eventLog.tell(ended(0));
    expect((await replay).ending).toBe("answered");
  });

  it("ends when the work has an outcome, though the notice comes back to clean up", async () => {
    const { run, messages, pass } = aStage();
    const replay = run();
    for (const message of messages()) pass(message, cordoned);

    const { ending, outcomes } = await replay;

    expect(ending).toBe("answered");
    expect(outcomes).toMatchObject([{ kind: "cordoned" }]);
  });

  it("ends when a notice rests for longer than the replay lasts", async () => {
    const { run, messages, pass } = aStage();
    const replay = run();
    for (const message of messages()) pass(message, rests);

    expect((await replay).ending).toBe("resting");
  });

  it("goes on while one notice rests and another one has work", async () => {
    const { run, messages, pass } = aStage([message, message]);
    const replay = run();
    const [first = "", second = ""] = messages();
    pass(first, rests);
    expect(await settled(replay)).toBe("open");

    pass(second, cordoned);
    expect((await replay).ending).toBe("resting");
  });

  it("goes on after a fault that the pass survives", async () => {
    const { eventLog, tell, run } = aStage();
    const replay = run();

    const fault = { code: "cluster.refused", message: "HTTP 500", retryable: true };
    tell({ kind: "fault", ...fault, at: start, source: "function" });
    tell({ kind: "pass-ended", left: [], wait: seconds(5), at: start, source: "function" });
    eventLog.tell(ended(1));

    expect(await settled(replay)).toBe("open");
  });

  it("ends when a pass ends with a fault, because the queue would deliver again for hours", async () => {
    const { eventLog, tell, run } = aStage();
    const replay = run();
    tell({ kind: "pass-ended", left: [], wait: seconds(5), at: start, source: "function" });
    eventLog.tell(ended(1));

    const fault = { code: "cluster.refused", message: "HTTP 500", retryable: true };
    tell({ kind: "fault", ...fault, at: start, source: "function" });
    eventLog.tell(ended(1));

    const { ending, whereabouts } = await replay;
    expect(ending).toBe("faulted");
    expect(whereabouts.waiting).toEqual([0]);
  });

  it("ends when the function fails", async () => {
    const { eventLog, run } = aStage();
    const replay = run();

    eventLog.tell(killed);

    expect((await replay).ending).toBe("faulted");
  });

  it("repeats what the last pass said about the pods that are still there", async () => {
    const { eventLog, cluster, tell, run } = aStage();
    cluster.addPod({ name: "web", namespace: "demo", node });
    cluster.addPod({ name: "late", namespace: "demo", node });
    const replay = run();
    const holding = ["demo/gone", "demo/web", "demo/late"];
    tell({
      kind: "pods-seen",
      node,
      holding,
      critical: [],
      skipped: [],
      deadline: "",
      at: start,
      source: "function",
    });
    const left = [
      { about: "demo/gone", why: "ending" },
      { about: "demo/web", why: "held for 50 s by budget demo/web" },
    ];
    tell({ kind: "pass-ended", left, wait: seconds(5), at: start, source: "function" });

    eventLog.tell(killed);

    expect((await replay).left).toEqual([
      "demo/web: held for 50 s by budget demo/web",
      "demo/late: not evicted yet",
    ]);
  });
});
