import { vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import type { Outcome } from "../../lambda/domain/notice/outcome.ts";
import type { ActionRecord } from "../../sandbox/aws/auto-scaling/lifecycle-action.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import type { PodChange, PodHistory } from "./pod-history.ts";
import { type PodRequest, podRequests } from "./pod-requests.ts";
import type { RealWorld } from "./real-world.ts";
import { nameOf, patience, SitePods } from "./site-pods.ts";

/** How a drain ended, and what was there at that moment. */
export interface Drained {
  readonly outcome: Outcome;
  readonly action: ActionRecord;
  /** The site's pods that were on the node when the instance had just been released. */
  readonly stayed: readonly string[];
  /** What the function has asked of the site's pods. */
  readonly requests: readonly PodRequest[];
}

/** A node that will be drained, with a group of its own for its instance, and what is known of its drain. */
export class DrainSite extends SitePods {
  readonly #history: PodHistory;

  constructor(world: RealWorld, history: PodHistory, node: ClusterNode) {
    super(world, node);
    this.#history = history;
  }

  /** Silences the kubelet, and waits until the cluster has noticed. */
  async fallSilent(): Promise<void> {
    await this.world.controlPlane.pauseKubelet(this.name);
    await vi.waitFor(async () => {
      const { status } = await this.core.readNode({ name: this.name });
      const ready = status?.conditions?.find(({ type }) => type === "Ready");
      if (ready?.status !== "Unknown") throw new Error(`${this.name}: ready ${ready?.status}`);
    }, patience);
  }

  /** Takes the instance out of its group. */
  terminate(): void {
    this.world.terminate(this.node.instanceId);
  }

  /** Takes the instance out of its group and waits for what comes of it. */
  async drain(): Promise<Drained> {
    this.terminate();
    return this.drained();
  }

  /** Waits for the end of the drain. */
  async drained(): Promise<Drained> {
    await this.world.released(this.node.instanceId);
    const stayed = (await this.pods()).filter(({ spec }) => spec?.nodeName === this.name);
    const outcome = await this.outcome();
    return {
      outcome,
      action: this.action(),
      stayed: stayed.map(nameOf).toSorted(),
      requests: await this.requests(),
    };
  }

  /** How the notice ended. */
  async outcome(): Promise<Outcome> {
    return vi.waitFor(() => {
      const done = this.told("notice-done").find(({ notice }) =>
        notice.includes(this.node.instanceId),
      );
      if (done === undefined) throw new Error(`${this.name}: not done`);
      return done.outcome;
    }, patience);
  }

  /** What holds the instance, or held it last. */
  action(): ActionRecord {
    const { instanceId: id } = this.node;
    const found = this.world.aws.autoScaling.actions().findLast((it) => it.instanceId === id);
    if (found === undefined) throw new Error(`${this.name}: nothing holds ${id}`);
    return found;
  }

  /** What the function has asked of the pods so far. */
  async requests(): Promise<readonly PodRequest[]> {
    const entries = await this.world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
    return podRequests(entries, this.name);
  }

  /** What the function has told about the site, of one kind. */
  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    const own = new RegExp(`\\b${this.name}\\b|${this.node.instanceId}`);
    return this.world.log
      .filter((line) => own.test(line))
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);
  }

  /** Waits until the function has told something about the site. */
  async until<Kind extends Dated["kind"]>(kind: Kind): Promise<Extract<Dated, { kind: Kind }>> {
    return vi.waitFor(() => {
      const [entry] = this.told(kind);
      if (entry === undefined) throw new Error(`${this.name}: nothing of ${kind}`);
      return entry;
    }, patience);
  }

  /** What happened to the pods of the site, once the end of one of them is known. */
  async history(gone: string): Promise<readonly PodChange[]> {
    return vi.waitFor(() => {
      const changes = this.#history.in(this.name);
      if (changes.some(({ name, state }) => name === gone && state === "gone")) return changes;
      throw new Error(`${this.name}: ${gone} is not gone`);
    }, patience);
  }
}
