import { type Duration, later } from "../../lambda/base/time.ts";
import { afterRelease } from "./after-release.ts";
import { BudgetKnocks } from "./budget-knocks.ts";
import type { Fault, FunctionRequest } from "./fault-plan.ts";
import { HeardRefusals } from "./heard-refusals.ts";
import { OwnBusiness } from "./own-business.ts";
import type { WorldPass } from "./passes.ts";
import { titleOf } from "./pod-facts.ts";
import type { KnownPod } from "./pod-history.ts";
import { type PodRequest, tryPodRequest } from "./pod-request.ts";
import { type Case, podRequestRules } from "./pod-request-rules.ts";
import { ReleaseRules } from "./release-rules.ts";
import { ReturnedPods } from "./returned-pods.ts";
import { tierRule } from "./tier-rule.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { type AllOrders, WitnessedDrains } from "./witnessed-drains.ts";

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
