import type { Instant } from "../../lambda/base/time.ts";
import type { Fault, FunctionRequest } from "./fault-plan.ts";
import { isMarked } from "./mark-history.ts";
import type { WorldPass } from "./passes.ts";
import { tryPodRequest } from "./pod-request.ts";
import { crossing, type WitnessedDrain } from "./witnessed-drain.ts";
import type { WitnessedDrains } from "./witnessed-drains.ts";
import { instanceOf } from "./world-options.ts";

interface Peers {
  readonly at: Instant;
  readonly indices: readonly number[];
}

interface OfPass extends FunctionRequest {
  readonly pass: WorldPass;
}

const ofHook = /(RecordLifecycleActionHeartbeat|CompleteLifecycleAction)$/;
const changes = /^(create|update|patch|delete) /;

/**
 * Complains about a pass that changes what only the drain of another node may change. Of its peers
 * a pass marks the nodes and nothing else, and it does so before it evicts any pod, which might
 * land there.
 */
export class OwnBusiness {
  readonly #drains: WitnessedDrains;
  /** When each pass asked Auto Scaling for its peers, and which ones there were. */
  readonly #asked = new Map<WorldPass["id"], Peers>();
  /** The passes in which a request has failed; they may have been unable to mark a peer. */
  readonly #troubled = new Set<WorldPass["id"]>();

  constructor(drains: WitnessedDrains) {
    this.#drains = drains;
  }

  /** Lists what is wrong with a request, which may be about to fail. */
  judge(request: FunctionRequest, fault: Fault): readonly string[] {
    const { pass, what } = request;
    const own = pass === "none" ? undefined : this.#drains.tryOf(pass.index);
    if (pass === "none" || own === undefined)
      return isChange(request) ? [`${what} is of no drain`] : [];
    this.#note({ ...request, pass }, own, fault);
    return [
      ...(this.#isForeign(request, own) ? [`${what} came from the drain of ${own.node}`] : []),
      ...(this.#isNeedless(request) ? [`${what} came, though the node had its mark`] : []),
      ...this.#unmarkedPeers({ ...request, pass }, own),
    ];
  }

  #note({ pass, what, at }: OfPass, own: WitnessedDrain, fault: Fault): void {
    if (what.endsWith("DescribeAutoScalingGroups"))
      this.#asked.set(pass.id, { at, indices: this.#peersOf(own).map(({ index }) => index) });
    if (fault.kind !== "well") this.#troubled.add(pass.id);
  }

  #isForeign(request: FunctionRequest, own: WitnessedDrain): boolean {
    const { what, body } = request;
    if (ofHook.test(what))
      return new URLSearchParams(body).get("InstanceId") !== instanceOf(own.index);
    if (what.startsWith("patch nodes "))
      return what !== `patch nodes ${own.node}` && !this.#isPeerMark(request, own);
    const asked = tryPodRequest(request);
    return (
      asked !== undefined && this.#drains.history.tryPod(asked.uid)?.pod.spec.nodeName !== own.node
    );
  }

  #isPeerMark({ what, body }: FunctionRequest, own: WitnessedDrain): boolean {
    const isOfPeer = this.#peersOf(own).some(({ node }) => what === `patch nodes ${node}`);
    return isOfPeer && body.includes("marked-at") && !body.includes("emptied-at");
  }

  /**
   * Whether a node has had its whole mark for a while, and is marked once more. A mark that is sent again, because its
   * answer was lost, names the node as it was before, and so changes nothing.
   */
  #isNeedless({ what, body, at }: FunctionRequest): boolean {
    const marked = this.#drains.all().find(({ node }) => what === `patch nodes ${node}`)?.object;
    if (marked === undefined || !isMarked(marked) || !body.includes("marked-at")) return false;
    const { resourceVersion } = marked.metadata;
    if (!body.includes(JSON.stringify({ resourceVersion }).slice(1, -1))) return false;
    return at - this.#drains.marks.set(marked) > crossing;
  }

  #unmarkedPeers(request: OfPass, own: WitnessedDrain): readonly string[] {
    const asked = this.#asked.get(request.pass.id);
    const isAsking = tryPodRequest(request) !== undefined;
    if (asked === undefined || !isAsking || this.#troubled.has(request.pass.id)) return [];
    return this.#peersOf(own)
      .filter(({ index }) => asked.indices.includes(index))
      .filter(
        ({ object }) => object && !isMarked(object) && this.#drains.marks.opened(object) < asked.at,
      )
      .map(({ node }) => `${node} was not marked when its peer ${own.node} evicted a pod`);
  }

  #peersOf({ index, group }: WitnessedDrain): readonly WitnessedDrain[] {
    return this.#drains
      .all()
      .filter((peer) => peer.index !== index && peer.group === group && peer.ended === undefined);
  }
}

/** Whether a request changes a node, a pod or a hook. */
const isChange = ({ what }: FunctionRequest): boolean =>
  ofHook.test(what) || (changes.test(what) && / (nodes|pods)/.test(what));
