import { type Duration, type Instant, later, seconds } from "../../lambda/base/time.ts";
import { BudgetKnocks } from "./budget-knocks.ts";
import type { Fault, FunctionRequest } from "./fault-plan.ts";
import { OwnBusiness } from "./own-business.ts";
import type { WorldPass } from "./passes.ts";
import { graceOf, isCritical, titleOf } from "./pod-facts.ts";
import type { KnownPod } from "./pod-history.ts";
import { type PodRequest, tryPodRequest } from "./pod-request.ts";
import { type Case, podRequestRules } from "./pod-request-rules.ts";
import { isClosing, tryPause } from "./refusal.ts";
import { ReleaseRules } from "./release-rules.ts";
import { ReturnedPods } from "./returned-pods.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { crossing, isPast, outlasts } from "./witnessed-drain.ts";
import { type AllOrders, WitnessedDrains } from "./witnessed-drains.ts";
import { instanceOf, nodeOf } from "./world-options.ts";

interface Refused {
  readonly pass: WorldPass;
  readonly namespace: string;
  readonly at: Instant;
}

interface Pause extends Pick<WorldPass, "process"> {
  readonly from: Instant;
  readonly until: Instant;
}

/** Knows which pass has heard which refusal of the API server. */
class HeardRefusals {
  readonly #closing: Refused[] = [];
  readonly #pauses: Pause[] = [];

  /** Notes the answer to a request for a pod of this namespace. */
  note(refused: Refused, fault: Fault): void {
    const { pass, namespace, at } = refused;
    if (isClosing(fault) && this.closing(pass, namespace) === undefined)
      this.#closing.push(refused);
    const pause = tryPause(fault);
    if (pause === undefined) return;
    this.#pauses.push({ process: pass.process, from: at, until: later(at, seconds(pause)) });
  }

  /** Since when a pass has known that a namespace refuses evictions because it is terminating. */
  closing({ id }: WorldPass, namespace: string): Instant | undefined {
    return this.#closing.find((one) => one.pass.id === id && one.namespace === namespace)?.at;
  }

  /** Whether the API server has asked the process of a pass to wait, in whichever of its drains. */
  isPaused({ process }: WorldPass, now: Instant): boolean {
    return this.#pauses.some(
      (pause) => pause.process === process && now - pause.from > crossing && now < pause.until,
    );
  }
}

/**
 * The drain may evict a critical pod only if no ordinary pod is left, or if the ordinary pods'
 * share of the time is over, or if the drain may force the pod.
 */
function tierRule({ request, known: { pod }, drain }: Case, drains: WitnessedDrains) {
  const marked = drain.mark.set;
  const turn = marked + (drain.deadline - marked) * 0.75 - 1;
  const isOut = isPast(graceOf(pod), drain, request.at) || outlasts(pod, drain);
  const waits = isCritical(pod) && request.at < turn && !isOut;
  const ordinary = waits ? drains.holding(drain).find((other) => !isCritical(other)) : undefined;
  return ordinary && `asked to go, though it is critical and ${titleOf(ordinary)} was still there`;
}

/** Complains about a request for a node or its instance after the hook has been completed. */
function afterRelease(
  { what, body, at }: FunctionRequest,
  drains: WitnessedDrains,
): readonly string[] {
  const index = drains.indexOf(
    (number) =>
      what === `patch nodes ${nodeOf(number)}` ||
      (what.endsWith("RecordLifecycleActionHeartbeat") && body.includes(instanceOf(number))),
  );
  const ended = drains.tryOf(index)?.ended;
  return ended !== undefined && at > ended ? [`${what} came after the release`] : [];
}

interface OfPass extends PodRequest {
  readonly pass: WorldPass;
}

type Circumstances = Pick<Case, "closing" | "course" | "pause" | "sight">;

/**
 * Watches every request of the function from the world's side, and records what must never happen.
 */
export class Witness {
  readonly complaints: string[] = [];
  readonly #drains: WitnessedDrains;
  readonly #knocks: BudgetKnocks;
  readonly #returned = new ReturnedPods();
  readonly #releases: ReleaseRules;
  readonly #business: OwnBusiness;
  readonly #heard = new HeardRefusals();
  #sight: Case["sight"] = "clear";
  #course: Case["course"] = "smooth";

  constructor(world: VirtualWorld, orders: AllOrders) {
    this.#drains = new WitnessedDrains(world, orders);
    this.#knocks = new BudgetKnocks(world);
    this.#releases = new ReleaseRules(this.#drains);
    this.#business = new OwnBusiness(this.#drains);
  }

  /** Checks the world at the moment of a request; the fault plan has already decided its fault. */
  see(request: FunctionRequest, fault: Fault): void {
    this.#drains.marks.see(request);
    this.complaints.push(...this.#business.judge(request, fault));
    const podRequest = tryPodRequest(request);
    if (podRequest !== undefined && request.pass !== "none")
      this.#seePodRequest({ ...podRequest, pass: request.pass }, fault);
    if (request.what.endsWith("CompleteLifecycleAction"))
      this.complaints.push(...this.#releases.judge(request, this.#course));
    if (this.#course === "smooth") this.complaints.push(...afterRelease(request, this.#drains));
    if (fault.kind === "well") return;
    this.#course = "troubled";
    if (/^(list|watch) /.test(request.what)) this.#sight = "troubled";
  }

  /** Lists the instances that were released later than this after the deadline of their drain. */
  late(spare: Duration): readonly string[] {
    return this.#drains
      .all()
      .filter(({ ended, deadline }) => ended === undefined || ended > later(deadline, spare))
      .map(({ node }) => `${node} was released too late`);
  }

  #seePodRequest(request: OfPass, fault: Fault): void {
    const known = this.#drains.history.tryPod(request.uid);
    const drain = known && this.#drains.tryFor(known.pod);
    if (known === undefined || drain === undefined) {
      this.complaints.push(`${request.uid} was asked to go from a node that stays`);
      return;
    }
    const namespace = known.pod.metadata.namespace ?? "";
    const circumstances = this.#circumstances(request, namespace);
    this.#judge(known, { request, fault, known, drain, ...circumstances });
    this.#heard.note({ pass: request.pass, namespace, at: request.at }, fault);
  }

  #circumstances({ pass, at }: OfPass, namespace: string): Circumstances {
    const closing = this.#heard.closing(pass, namespace);
    const pause = this.#heard.isPaused(pass, at) ? "told" : "none";
    return { sight: this.#sight, course: this.#course, closing, pause };
  }

  #judge({ pod }: KnownPod, judged: Case): void {
    const broken = [
      ...podRequestRules.map((rule) => rule(judged)),
      this.#knocks.judge(judged),
      this.#returned.judge(judged),
      tierRule(judged, this.#drains),
    ];
    for (const what of broken)
      if (what !== undefined) this.complaints.push(`${titleOf(pod)} was ${what}`);
  }
}
