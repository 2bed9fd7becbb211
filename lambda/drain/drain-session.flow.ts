import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import { BackgroundTask } from "../notice/background-task.flow.ts";
import type { Heartbeat } from "../notice/heartbeats.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { heartbeatsFor, isTokenless } from "../notice/keeper.flow.ts";
import type { Note } from "../notice/outcome.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import { BudgetLog } from "./budget-log.flow.ts";
import type { DrainPorts } from "./drain.port.ts";
import { Evictions } from "./evictions.flow.ts";
import { boundsNow, FollowedNode } from "./followed-node.flow.ts";
import { heldByBudget } from "./held-by-budget.ts";
import { limited, overruled, tooLong } from "./hold-reason.ts";
import { triesUntil } from "./late-begin.ts";
import { latenessOf } from "./lateness.flow.ts";
import { underWay } from "./ledger.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { type NodeState, NodeWatch } from "./node-watch.flow.ts";
import { othersLeaseEnds } from "./others-lease.flow.ts";
import { forcedFrom, isOverdue, nextForce, removalSlack } from "./overdue.ts";
import {
  drainedOutcome,
  expiredOutcome,
  holding,
  leftOn,
  type PassResult,
  stuckNotes,
} from "./pass-result.ts";
import { PodLog } from "./pod-log.flow.ts";
import { refusedEvictions } from "./refused-evictions.ts";
import { type DrainRoom, noRoom } from "./room.port.ts";
import type { PodRequest, Snapshot, Step } from "./snapshot.ts";
import { passEnd } from "./standstill.ts";
import { VolumeWatch } from "./volume-watch.flow.ts";

/** Why a pass goes on no longer. */
type Halt =
  | "drained"
  | "expired"
  | "unfinished"
  | "released-elsewhere"
  | Exclude<NodeState, "kept">;

type Ask = Extract<Step, { readonly kind: "ask" }>;

// A little longer than an eviction may take; the function's timeout leaves room for it.
const lastAnswers = seconds(42);

/** One pass over a marked node: follows the node and all that holds it, shows it as a snapshot, and takes a step. */
export class DrainSession {
  readonly #node: FollowedNode;
  readonly #wakeup: Wakeup;
  readonly #ports: DrainPorts;
  readonly #volumes: VolumeWatch;
  readonly #balancers: BalancerWatch;
  readonly #balancerCheck: BackgroundTask<void>;
  readonly #nodeCheck: BackgroundTask<NodeState>;
  readonly #roomCheck: BackgroundTask<void>;
  readonly #heartbeat: BackgroundTask<Heartbeat>;
  readonly #evictions: Evictions;
  readonly #story: PodLog;
  readonly #budgets: BudgetLog;
  #room: DrainRoom = noRoom;
  /** When a pass began that was too late for the drain's deadline; `never` if each was in time. */
  #late: Instant = never;

  /** Begins to follow the node. No eviction goes out before load balancers have answered, so they are asked while the pods are listed. */
  static async open(marked: MarkedNode, ports: DrainPorts): Promise<DrainSession> {
    const wakeup = new Wakeup();
    const watch = new NodeWatch(marked, ports);
    const balancers = balancersOf(marked, watch, ports);
    const balancerCheck = new BackgroundTask(balancers, wakeup, ports.clock);
    balancerCheck.start();
    const view = await ports.cluster.follow(marked.node.name, wakeup);
    try {
      const node = new FollowedNode(watch, view, ports);
      await node.begin();
      const session = new DrainSession(node, balancers, balancerCheck, wakeup, ports);
      await session.#begin();
      return session;
    } catch (cause) {
      view.close();
      throw cause;
    }
  }

  private constructor(
    node: FollowedNode,
    balancers: BalancerWatch,
    balancerCheck: BackgroundTask<void>,
    wakeup: Wakeup,
    ports: DrainPorts,
  ) {
    const { marked } = node;
    const { clock, journal } = ports;
    this.#node = node;
    this.#wakeup = wakeup;
    this.#ports = ports;
    this.#volumes = new VolumeWatch(marked, wakeup, ports);
    this.#balancers = balancers;
    this.#balancerCheck = balancerCheck;
    this.#nodeCheck = new BackgroundTask(node, wakeup, clock);
    const room = { due: () => this.#room.due(), work: () => this.#room.work() };
    this.#roomCheck = new BackgroundTask(room, wakeup, clock);
    this.#heartbeat = new BackgroundTask(heartbeatsFor(marked.order.keeper), wakeup, clock);
    const holdsBack: DrainRoom["holdsBack"] = (...asked) => this.#room.holdsBack(...asked);
    this.#evictions = evictionsOf({ node, holdsBack }, wakeup, ports);
    this.#story = new PodLog(node.scene(), journal);
    this.#budgets = new BudgetLog(marked.node.name, journal);
  }

  async #begin(): Promise<void> {
    const { node, order } = this.#node.marked;
    const { clock, journal } = this.#ports;
    const { view } = this.#node;
    const { settings } = order;
    const request = { node: node.name, settings, clock, journal };
    const opensRoom = this.#ports.room ?? (() => Promise.resolve(noRoom));
    this.#room = await opensRoom(request);
    this.#late = await latenessOf(this.#node, this.#triesUntil(), this.#ports);
    await this.#volumes.begin(() => view.pods(), this.#node.scene());
    this.#story.begin(view, this.#triesUntil());
  }

  /** Records what has changed, and returns the node as it looks now. */
  look(): Snapshot {
    const { view } = this.#node;
    this.#wakeup.consume();
    this.#story.tell(view);
    this.#volumes.look(view.pods(), this.#node.scene());
    const snapshot = this.#snapshot();
    this.#budgets.tell(snapshot);
    this.#room.note(heldByBudget(snapshot), snapshot);
    return snapshot;
  }

  /** Takes a step as far as load balancers allow it; a step may wait for a change. */
  async take(step: Step, snapshot: Snapshot): Promise<Halt | "go on"> {
    const passEnds = this.#passEnds(step, snapshot);
    const allowed = this.#balancers.held(step);
    switch (allowed.kind) {
      case "finish":
        return allowed.outcome;
      case "ask":
        return this.#ask(allowed, snapshot, passEnds);
      case "list":
        await this.#node.view.list();
        return "go on";
      case "read volumes":
        await this.#readVolumes();
        return "go on";
    }
  }

  /** The progress of the pass; warns of the pods and volumes that it leaves. */
  result(halt: Halt): PassResult {
    const snapshot = this.#snapshot();
    this.#warn(halt, snapshot);
    const targets = this.#balancers.left();
    switch (halt) {
      case "drained": {
        const forced = limited(this.#evictions.forced());
        const outcome = drainedOutcome(snapshot, targets, forced, this.#late);
        return { kind: "cleared", outcome };
      }
      case "expired":
        return { kind: "cleared", outcome: expiredOutcome(snapshot, targets, this.#late) };
      case "instance-ended":
        return { kind: "cleared", outcome: { kind: "instance-ended" } };
      case "released-elsewhere":
        return { kind: "released-elsewhere" };
      case "gone":
      case "not as marked":
        return { kind: "changed", how: halt };
      case "unfinished":
        return this.#unfinished(snapshot, targets);
    }
  }

  /** Stops following the node. */
  close(): void {
    this.#node.view.close();
    this.#volumes.close();
  }

  #unfinished(snapshot: Snapshot, targets: readonly Note[]): PassResult {
    const pods = holding(snapshot);
    return {
      kind: "unfinished",
      left: leftOn(snapshot, targets),
      progressed: pods.length === 0 || this.#hasProgressed(),
      nextForce: nextForce(pods, snapshot),
      deadline: snapshot.deadline,
    };
  }

  /** Warns of evictions that are refused on every pass, long before the deadline says so, and of pods that are left behind. */
  #warn(halt: Halt, snapshot: Snapshot): void {
    const { journal } = this.#ports;
    const isStuck = halt === "unfinished" && !this.#hasProgressed();
    const warnings = isStuck ? limited(refusedEvictions(snapshot)) : [];
    if (warnings.length > 0)
      journal.record({ kind: "warning", about: "refused evictions", warnings });
    const pods = stuckNotes(snapshot);
    if (pods.length > 0) journal.record({ kind: "pods-stuck", node: snapshot.node.name, pods });
  }

  #hasProgressed(): boolean {
    return this.#evictions.progressed() || this.#story.progressed() || this.#room.isBusy();
  }

  #snapshot(): Snapshot {
    const node = this.#node;
    const { view } = node;
    const found = node.found();
    return {
      ...node.scene(),
      ...node.forceTimes(),
      triesUntil: this.#triesUntil(),
      mark: found.mark,
      othersLease: othersLeaseEnds(found.node, this.#ports),
      listed: view.listed(),
      pods: view.pods(),
      budgets: view.budgets(),
      unread: view.unread(),
      ledger: this.#evictions.ledger(),
      accounts: view.accounts(),
      volumes: this.#volumes.volumes(() => node.remaining()),
      room: this.#room.notes(view.pods()),
      seenSinceMark: node.seenSinceMark(),
    };
  }

  /** The time until which the pass evicts and waits: after the drain's deadline if that had passed before the pass. */
  #triesUntil(): Instant {
    const { marked, began } = this.#node;
    const { passEnds } = marked.order;
    const [now, volumesUntil] = [this.#ports.clock.now(), this.#volumes.waitEnds()];
    return triesUntil(this.#node.bounds(), { now, began, passEnds, volumesUntil });
  }

  /** The end of this pass: early if nothing moves, and seconds later in the drain's last moment, for which another pass would be too late. */
  #passEnds(step: Step, snapshot: Snapshot): Instant {
    const { marked, began } = this.#node;
    const { passEnds: ends } = marked.order;
    if (snapshot.now >= snapshot.triesUntil) return later(ends, removalSlack);
    const isIdle = step.kind === "ask" && step.requests.length === 0;
    if (!isIdle || this.#hasProgressed()) return ends;
    const isBrief = isTokenless(marked.order.keeper);
    if (!isBrief && this.#room.isToLook()) return ends;
    return passEnd(snapshot, { began, ends, ...(isBrief && { standstill: seconds(0) }) });
  }

  /** After the deadline the drain does not wait for volumes that it cannot read, so the outcome is about the pods. */
  async #readVolumes(): Promise<void> {
    const { clock, journal } = this.#ports;
    try {
      await this.#volumes.read(this.#node.remaining());
    } catch (cause) {
      if (clock.now() < this.#node.bounds().deadline) throw cause;
      journal.record(faultEntry(cause));
      this.#volumes.forgo();
    }
  }

  /** Starts the requests that may start, then waits. A pass that is over only waits for its last answers. */
  async #ask(step: Ask, snapshot: Snapshot, passEnds: Instant): Promise<Halt | "go on"> {
    const now = this.#ports.clock.now();
    const over = now >= passEnds;
    const ends = over ? later(passEnds, lastAnswers) : passEnds;
    if (over && (underWay(this.#evictions.ledger()) === 0 || now >= ends)) return "unfinished";
    const urgent = step.requests.filter((request) => isUrgent(request, snapshot));
    const mayAsk = !over && (urgent.length === step.requests.length || this.#node.mayEvict());
    this.#evictions.start(mayAsk ? step.requests : urgent);
    const state = this.#checked();
    if (state !== "kept") return state;
    await this.#rest(earliest(step.recheck, ends));
    return "go on";
  }

  /** Returns what the last checks of the hook and the node found, and starts new checks when they are due. */
  #checked(): Halt | "kept" {
    if (this.#heartbeat.take() === "no-active-action") return "released-elsewhere";
    const state = this.#nodeCheck.take() ?? "kept";
    if (state !== "kept") return state;
    for (const check of this.#checks()) check.start();
    return "kept";
  }

  #checks() {
    return [this.#heartbeat, this.#nodeCheck, this.#balancerCheck, this.#roomCheck];
  }

  /** Waits until something changes, or something is due. */
  async #rest(until: Instant): Promise<void> {
    const due = this.#checks().map((check) => check.due());
    await this.#ports.clock.sleep(earliest(until, ...due), this.#wakeup);
  }
}

/** Whether a request waits for no other pod and for no other process: a deletion, or the eviction of a pod that is out of time. */
const isUrgent = ({ verb, pod }: PodRequest, snapshot: Snapshot): boolean =>
  verb === "delete" || isOverdue(pod, snapshot);

function balancersOf(marked: MarkedNode, watch: NodeWatch, ports: DrainPorts): BalancerWatch {
  const { order, vpc, node, marked: since } = marked;
  const { instance, settings } = order;
  const bounds = () => boundsNow(watch, ports);
  const watched = { instance, vpc, node: node.name, marked: since, settings, bounds };
  return new BalancerWatch(watched, ports);
}

function evictionsOf(
  { node, holdsBack }: { readonly node: FollowedNode } & Pick<DrainRoom, "holdsBack">,
  wakeup: Wakeup,
  ports: DrainPorts,
): Evictions {
  const { concurrency: mostAtOnce, force } = node.marked.order.settings;
  const { view } = node;
  return new Evictions(ports, wakeup, {
    mostAtOnce,
    tellsCuts: () => force === "never" || node.reason().graces === "cut",
    overruled: (pod, ledger) =>
      overruled(pod, {
        ...node.scene(),
        pods: view.pods(),
        budgets: view.budgets(),
        unread: view.unread(),
        accounts: view.accounts(),
        ledger,
      }),
    holdsBack: async ({ pod, budgetVersion }) =>
      (budgetVersion !== "" || view.unread().has(pod.namespace)) &&
      (await holdsBack(pod, force === "never" ? never : forcedFrom(pod, node.forceTimes()))),
    whyEarly: (pod) => tooLong(pod, node.forceTimes()),
  });
}
