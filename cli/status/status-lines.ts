import type { Tone } from "../../journal/line.ts";
import { counted, someOf } from "../../lambda/base/counted.ts";
import { inSeconds, seconds, spoken } from "../../lambda/base/time.ts";
import { alike } from "../alike.ts";
import { clockWords } from "../connect/clock-words.ts";
import { saidWords } from "../fleet/said-settings.ts";
import { shellWord } from "../shell-word.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { Gap } from "./gap-schema.ts";
import type { LeftPod } from "./left-pod-schema.ts";
import { ownStatusLines } from "./own-status.ts";
import type {
  ClusterStatus,
  HeldInstanceStatus,
  MarkedNode,
  SurgedWorkload,
} from "./status-schema.ts";

/** The cluster that a status is of, which the commands in it name. */
type Place = Pick<ClusterStatus, "cluster">;

/** The status for people, one fact on each line. */
export const statusLines = (status: ClusterStatus): readonly Line[] => [
  headline(status),
  ...brokenLines(status),
  ...status.held.flatMap((held) => instanceLines(held, status)),
  ...status.marked.flatMap((node) => nodeLines(node, status)),
  ...ownStatusLines(status),
  ...status.room.map(roomLine),
  ...clockLines(status),
  ...faultLines(status),
  ...saidWords(status.settings).map((text) => line("faint", 0, text)),
  ...gapLines(status),
];

const brokenLines = ({ broken }: ClusterStatus): readonly Line[] =>
  broken.flatMap(({ link, found, remedy }) => [
    line("bad", 0, `broken ${link}: ${found}`),
    line("plain", 1, `remedy: ${remedy}`),
  ]);

function roomLine({ workload, from, to, since, why, awaited }: SurgedWorkload): Line {
  const waits = awaited.length === 0 ? "" : `, waiting for ${someOf(awaited)} to be ready`;
  return line(
    "change",
    0,
    `${workload}: ${from} → ${to} pods since ${inSeconds(since)} for ${why}${waits}`,
  );
}

function headline({ cluster, held, marked, queue, gaps }: ClusterStatus): Line {
  const lacks = (what: Gap["hides"]) => gaps.some(({ hides }) => hides === what);
  const unread = lacks("instances");
  const isDeployed = !lacks("deployment");
  const instances = unread
    ? "held instances unknown"
    : counted(held.length, "instance held", "instances held");
  const nodes =
    marked.length === 0 ? [] : [counted(marked.length, "other node marked", "other nodes marked")];
  const tone = held.length + marked.length === 0 && !unread && isDeployed ? "good" : "plain";
  const parts = isDeployed
    ? [instances, ...nodes, queueWords(queue)]
    : ["not deployed", instances, ...nodes];
  return line(tone, 0, `${cluster}: ${parts.join(", ")}`);
}

function queueWords(queue: ClusterStatus["queue"]): string {
  if (queue === null) return "messages unknown";
  const { waiting, inFlight, dead } = queue;
  const notices =
    waiting === null
      ? "messages unknown"
      : `${counted(waiting, "message")} waiting, ${inFlight} in work, resting or just done`;
  const buried = dead === null ? "dead letters unknown" : counted(dead, "dead letter");
  return `${notices}, ${buried}`;
}

export function instanceLines(held: HeldInstanceStatus, place: Place): readonly Line[] {
  const { instance, group, state, node } = held;
  const known = held.hooks.length > 0;
  const isDone = held.notice === "done";
  const unknown = isDone
    ? "the function is done with it, and no hook of this deployment holds it any more"
    : "no hook of this deployment holds it, so the function does not know of it";
  const mine = known
    ? line("plain", 1, hookWords(held), `held by ${held.hooks.join(", ")}`)
    : line("careful", 1, unknown);
  const others = held.otherHooks.map((hook) =>
    line(
      "careful",
      1,
      `hook ${hook} notifies others, and ${known ? "may hold it too" : "holds it"}`,
    ),
  );
  const head = `${instance}: ${state}, group ${group}`;
  return [
    line("change", 0, head),
    mine,
    ...others,
    ...noticeLines(held, place),
    ...(node === "none"
      ? [line("careful", 1, noNode(state))]
      : [
          ...uncompleted(held),
          ...factLines(isDrained(held) ? node : withoutDeadline(node), state, attemptWords(held)),
        ]),
  ];
}

/** True if the function may drain a held instance, so that its deadline counts. */
const isDrained = (held: HeldInstanceStatus): boolean =>
  held.isManaged && !["done", "ignored"].includes(held.notice) && !isUncompleted(held);

/** True if nothing of a drain is left to do but to complete the hook, which the last pass did not. */
const isUncompleted = ({ isStopped, node, state }: HeldInstanceStatus): boolean =>
  isStopped && state.includes("Terminating") && node !== "none" && isEmptied(node);

/** True if a marked node has nothing left that its drain waits for. */
const isEmptied = ({ markedAt, pods, volumes }: MarkedNode): boolean =>
  markedAt !== "" && pods.length + volumes.length === 0;

const uncompleted = (held: HeldInstanceStatus): readonly Line[] =>
  isUncompleted(held)
    ? [
        line(
          "bad",
          1,
          `its node is empty, and the hook is not completed: the last pass met \`${held.lastFault}\``,
        ),
      ]
    : [];

/** The command that completes a hook by hand, in place of the tool that the hook notifies. */
export const completing = (
  { instance, group }: Pick<HeldInstanceStatus, "group" | "instance">,
  hook: string,
): string =>
  `aws autoscaling complete-lifecycle-action --auto-scaling-group-name ${shellWord(group)} --lifecycle-hook-name ${hook} --instance-id ${instance} --lifecycle-action-result CONTINUE`;

const noticeWords = {
  queued: () =>
    "no pass over it in the last hour; its notice may be among the messages of the queue",
  dead: (_: string, cluster: string) =>
    `no pass over it in the last hour; see whether its notice is among the dead letters: \`dead-letters ${cluster}\``,
  lost: (instance: string, cluster: string) =>
    `no notice of it has reached the function, and none is in the queue: if that stays so for a minute, send it again: \`resend ${instance} --cluster ${cluster}\``,
} as const;

const ignoredWords = ({ instance, ignoredFor }: HeldInstanceStatus, { cluster }: Place): string =>
  `the function has ignored its notice: ${ignoredFor}; once that is repaired, send it again: \`resend ${instance} --cluster ${cluster}\``;

/** The function works for no group that it does not manage, so no notice helps. */
const unmanagedWords = ({ group }: HeldInstanceStatus): string =>
  `this deployment does not manage group ${group}, so the function leaves the instance until its hook times out: \`doctor\` has the commands that manage the group or let the instance go`;

function noticeLines(held: HeldInstanceStatus, { cluster }: Place): readonly Line[] {
  const { instance, notice, otherHooks, isManaged } = held;
  if (!isManaged) return [line("bad", 1, unmanagedWords(held))];
  if (notice === "received" || notice === "unknown") return [];
  if (notice === "done")
    return otherHooks.map((hook) =>
      line("plain", 1, `if nobody completes ${hook}: \`${completing(held, hook)}\``),
    );
  if (notice === "ignored") return [line("bad", 1, ignoredWords(held, { cluster }))];
  return [line("bad", 1, noticeWords[notice](instance, cluster))];
}

/** The results of the function's passes over an instance whose node has no mark. */
function attemptWords({ passes, lastFault }: HeldInstanceStatus): string {
  if (passes === null) return "what the function does with it is not known";
  if (passes === 0) return "the function has not begun with it";
  const tried = `tried ${counted(passes, "time")}`;
  return lastFault === "" ? tried : `${tried}, stopped by \`${lastFault}\``;
}

const noNode = (state: string): string =>
  state.includes("Pending")
    ? "no node has joined the cluster for it yet"
    : "no node of it is in the cluster, or the cluster cannot be read";

function hookWords({
  hooks,
  state,
  heartbeatTimeoutSeconds: timeout,
  heartbeatAgeSeconds: age,
}: HeldInstanceStatus): string {
  const limit = timeout === null ? "" : `, which waits ${spoken(seconds(timeout))} for a heartbeat`;
  const last = age === null ? "" : `; the last one was ${spoken(seconds(age))} ago`;
  // The state of an instance on its way into a warm pool does not say which hook holds it.
  const names = hooks.join(state === "Warmed:Pending:Wait" ? " or " : ", ");
  return `held by ${names}${limit}${last}`;
}

/** The lines about a node whose instance no hook holds. */
export function nodeLines(node: MarkedNode, place: Place): readonly Line[] {
  return [
    line("change", 0, `${node.node}: ${unheldWords(node, place)}`),
    ...factLines(isOver(node) ? withoutDeadline(node) : node, ""),
  ];
}

const withoutDeadline = (node: MarkedNode): MarkedNode => ({
  ...node,
  deadline: "",
  secondsLeft: null,
});

const undo = ({ node }: MarkedNode, { cluster }: Place): string =>
  `open it with \`drain ${node} --undo --cluster ${cluster}\``;

/** True if the drain that the mark is of has ended: only a hook's drain ends before its instance does. */
const isOver = ({ cause, instanceState: state }: MarkedNode): boolean =>
  (state === "gone" && !isOfPeople(cause)) || (cause === "terminating" && state !== "");

// EC2 takes a Spot instance a quarter of a minute after the deadline of its drain, and Auto Scaling notices that soon.
const longestUntilTaken = 120;

/** True if EC2 has not taken a Spot instance of which an event has said so; no notice comes back to open its node. */
const isSpared = ({ cause, instanceState, secondsLeft }: MarkedNode): boolean =>
  cause === "interrupted" &&
  instanceState === "InService" &&
  (secondsLeft ?? 0) < -longestUntilTaken;

/** Somebody at a terminal may drain nodes of groups that this deployment does not manage. */
const isOfPeople = (cause: string): boolean => ["requested", "evacuated"].includes(cause);

/** Why no hook holds a marked node's instance, and what to do about it. */
function unheldWords(node: MarkedNode, place: Place): string {
  const { cause, instanceState: state } = node;
  if (state === "gone" && !isOfPeople(cause))
    return "no managed group has its instance any more; if EC2 has ended it, the node is removed, else remove it with `kubectl delete node`";
  if (isSpared(node))
    return `its instance stays (${state}), though EC2 was to take it: ${undo(node, place)}`;
  if (state === "") return "whether a hook holds its instance is not known";
  if (cause !== "terminating") return "no hook of this deployment holds its instance";
  if (state.startsWith("Terminating:Retained"))
    return "its group retains the instance, which nobody drains any more";
  if (state.startsWith("Terminating")) return "its drain is over, and its instance is about to end";
  return `its instance stays (${state}), so no drain goes on: if the mark stays for a minute, ${undo(node, place)}`;
}

function factLines(node: MarkedNode, state: string, attempts = ""): readonly Line[] {
  return [
    line("plain", 1, `node ${node.node}, ${readinessWords(node.readiness)}`),
    ...markLines(node, state, attempts),
    ...node.plannedWork.map(({ event, startTime }) =>
      line("careful", 1, `AWS plans work on its host from ${inSeconds(startTime)} on: ${event}`),
    ),
    ...podLines(node, state),
    ...(node.volumes.length === 0
      ? []
      : [line("plain", 1, `volumes attached: ${node.volumes.join(", ")}`)]),
  ];
}

const readinessWords = (readiness: string): string => readiness.replace("-", " ");

function markLines(node: MarkedNode, state: string, attempts: string) {
  const { cause, markedAt, lateSince, deadline, secondsLeft } = node;
  if (markedAt === "")
    return state.includes("Terminating") ? [line("careful", 1, `not marked: ${attempts}`)] : [];
  const why = `marked at ${inSeconds(markedAt)}: ${cause || "no reason is given"}`;
  if (secondsLeft === null) return [line("plain", 1, why)];
  const left =
    secondsLeft > 0
      ? `${spoken(seconds(secondsLeft))} left until its deadline ${inSeconds(deadline)}`
      : `its deadline ${inSeconds(deadline)} has passed ${spoken(seconds(-secondsLeft))} ago`;
  const late = lateSince === "" ? "" : `; late: its time counts from ${inSeconds(lateSince)}`;
  const [tone, until] =
    secondsLeft > 0 ? (["plain", "until"] as const) : (["bad", "past"] as const);
  return [line(tone, 1, `${why}; ${left}${late}`, `${why} ${until} ${deadline}${late}`)];
}

/** True if a mark is that of a drain. A node at risk is not drained. */
export const isOfDrain = (cause: string): boolean => !["", "at-risk"].includes(cause);

function podLines({ pods, cause }: MarkedNode, state: string): readonly Line[] {
  if (!state.includes("Terminating") && !isOfDrain(cause)) return [];
  if (pods.length === 0) return [line("good", 1, "no pod is left that it waits for")];
  return [
    line("plain", 1, `${counted(pods.length, "pod")} left`),
    ...pods.map((pod) =>
      line(toneOf(pod), 2, `${pod.pod}: ${pod.reason}${deletion(pod)}`, newsOf(pod)),
    ),
  ];
}

/** The state of a pod without times that change. */
export const newsOf = ({ reason: _, deletedInSeconds: left, ...pod }: LeftPod): string =>
  JSON.stringify([pod, left === null ? left : left > 0]);

/** Until when budgets and protection count for a pod. */
function deletion({ budgets, deletedInSeconds: left }: LeftPod): string {
  if (left === null) return "";
  const past = budgets.map(({ budget }) => `budget ${budget}`).join(" and ") || "its protection";
  return `; ${left === 0 ? "now" : `in ${spoken(seconds(left))}`} it is deleted past ${past}`;
}

const toneOf = ({ class: kind, budgets }: LeftPod): Tone => {
  if (kind === "stuck") return "bad";
  return kind === "protected" || budgets.some(({ allowed }) => allowed === 0) ? "careful" : "plain";
};

function clockLines({ clockAheadSeconds }: ClusterStatus): readonly Line[] {
  const words = clockWords(seconds(clockAheadSeconds));
  const text = `${words}; all times here are the cluster's`;
  return words === "" ? [] : [line("careful", 0, text, "the clock of this computer differs")];
}

const faultLines = ({ faults }: ClusterStatus): readonly Line[] =>
  faults.length === 0
    ? []
    : [
        line("bad", 0, "faults of the last hour"),
        ...faults.map(({ at, message, count }) =>
          line("bad", 1, `${inSeconds(at)} ${message}${count === 1 ? "" : ` (${count} times)`}`),
        ),
      ];

const gapLines = ({ gaps }: ClusterStatus): readonly Line[] =>
  gaps.length === 0
    ? []
    : [
        line("careful", 0, "not read"),
        ...alike(gaps, ({ why, remedy }) => `${why}; ${remedy}`).map(([parts, all]) =>
          line("careful", 1, `${all.map(({ source }) => source).join(", ")}: ${parts}`),
        ),
      ];
