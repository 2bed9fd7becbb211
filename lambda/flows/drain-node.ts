import { begunAt } from "../domain/begun-at.ts";
import type { DrainPolicy } from "../domain/drain-policy.ts";
import type { LifecycleAction } from "../domain/lifecycle-action.ts";
import { waitBeforePass } from "../domain/next-pass.ts";
import type { Node } from "../domain/node.ts";
import type { Terminating } from "../domain/notice.ts";
import type { Outcome, Pass } from "../domain/outcome.ts";
import { podTitle } from "../domain/pod.ts";
import { type Duration, type Instant, later, seconds } from "../domain/time.ts";
import type { Ports } from "../ports.ts";
import { type Emptied, emptyNode } from "./empty-node.ts";
import { guard } from "./guard.ts";
import { keeperOf } from "./hook-keeper.ts";
import { markNode } from "./mark-node.ts";

/** A notice of a terminating instance, as often as it has been received. */
export interface DrainRequest {
  readonly notice: Terminating;
  readonly receives: number;
}

/** One pass of a drain: empties the node of a terminating instance, then releases the instance. */
export async function drainNode(
  request: DrainRequest,
  policy: DrainPolicy,
  ports: Ports,
): Promise<Pass> {
  const { action } = request.notice;
  const { settings } = policy;
  const hold = await guard(action, policy.managed, ports);
  if (hold.kind === "not-held") return done({ kind: "ignored", reason: hold.reason });
  const keeper = keeperOf(action, hold.heartbeatTimeout, ports);
  const passEnds = later(ports.clock.now(), policy.pass);

  const node = await nodeOf(action, ports);
  if (node === "absent") return release(action, { kind: "no-node" }, ports);
  const mark = await markNode(node, settings.taints, ports);
  if (mark.kind === "gone") return release(action, { kind: "no-node" }, ports);
  if (mark.kind === "contended") return { kind: "again", wait: seconds(5) };

  const begun = begunAt(request.notice, mark.since);
  const deadline = later(begun, settings.timeout);
  const marked = mark.since;
  const emptied = await emptyNode({ node, marked, settings, keeper, deadline, passEnds }, ports);
  if (emptied.kind !== "unfinished") return ended(action, emptied, ports);
  return handBack(emptied, {
    request,
    begun,
    deadline,
    heartbeatTimeout: hold.heartbeatTimeout,
    ports,
  });
}

async function nodeOf(action: LifecycleAction, ports: Ports): Promise<Node | "absent"> {
  const { instance } = action;
  const names = await ports.instances.nodeNames(instance);
  const node = await ports.cluster.findNode(instance, names);
  if (node !== "absent") ports.journal.record({ kind: "node-found", node: node.name, instance });
  return node;
}

async function ended(action: LifecycleAction, emptied: Emptied, ports: Ports): Promise<Pass> {
  if (emptied.kind === "released-elsewhere") return done({ kind: "released-elsewhere" });
  const expired = emptied.kind === "expired";
  return release(
    action,
    expired ? { kind: "expired", left: emptied.left.map(podTitle) } : { kind: "drained" },
    ports,
  );
}

/** Completes the hook: the last thing a drain does, whatever came of it. */
async function release(action: LifecycleAction, outcome: Outcome, ports: Ports): Promise<Pass> {
  const answer = await ports.groups.complete(action, "CONTINUE");
  if (answer === "no-active-action") return done({ kind: "released-elsewhere" });
  ports.journal.record({ kind: "hook-completed", action, result: "CONTINUE" });
  return done(outcome);
}

interface Unfinished {
  readonly request: DrainRequest;
  readonly begun: Instant;
  readonly deadline: Instant;
  readonly heartbeatTimeout: Duration;
  readonly ports: Ports;
}

function handBack({ left, progressed }: Emptied, unfinished: Unfinished): Pass {
  const { request, begun, deadline, heartbeatTimeout, ports } = unfinished;
  const now = ports.clock.now();
  const { receives } = request;
  const wait = waitBeforePass({
    now,
    since: begun,
    deadline,
    progressed,
    receives,
    heartbeatTimeout,
  });
  ports.journal.record({ kind: "pass-ended", left: left.map(podTitle), wait });
  return { kind: "again", wait };
}

const done = (outcome: Outcome): Pass => ({ kind: "done", outcome });
