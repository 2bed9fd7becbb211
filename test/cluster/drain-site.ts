import { vi } from "vitest";
import { exitCodes } from "../../cli/exit-code.ts";
import { main } from "../../cli/main.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import type { Dated } from "../../lambda/registrations/entry.ts";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import { capturedIo } from "../cli/captured-io.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { type Comparison, compared, table } from "./plan-comparison.ts";
import { type Plan, planLineSchema } from "./plan-line-schema.ts";
import type { PodChange, PodHistory } from "./pod-history.ts";
import { type PodRequest, podRequests } from "./pod-requests.ts";
import type { RealWorld } from "./real-world.ts";
import { nameOf, patience, SitePods } from "./site-pods.ts";

/** A node of a cluster, and the settings by which it would be drained. */
interface Foreseen {
  readonly kubeconfig: string;
  readonly node: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs `plan` for a node. */
async function foresee({ kubeconfig, node, settings }: Foreseen): Promise<Plan> {
  const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const io = capturedIo();
  const code = await main(
    ["plan", "--kubeconfig", kubeconfig, "--ask", ...set, node, "--json"],
    io,
  );
  const [first = ""] = io.out().split("\n");
  if (code !== exitCodes.done && code !== exitCodes.notDone) throw new Error(io.err());
  const plan = planLineSchema.parse(JSON.parse(first));
  const never = plan.pods.some(({ fate }) => fate === "never");
  if ((code === exitCodes.notDone) !== never) throw new Error(`plan of ${node}: exit code ${code}`);
  return plan;
}

/** How a drain ended, and what was on the node at that moment. */
export interface Drained {
  readonly outcome: Outcome;
  readonly action: ActionRecord;
  /** The site's pods on the node just after the release of the instance. */
  readonly stayed: readonly string[];
  /** The function's requests for the site's pods. */
  readonly requests: readonly PodRequest[];
}

/** A site's place, and what differs from the default. */
export interface DrainSiteOptions {
  readonly world: RealWorld;
  readonly history: PodHistory;
  readonly node: ClusterNode;
  /** The settings of its drain, by their keys in the environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where the comparisons of plan and drain are put. */
  readonly comparisons: Comparison[];
}

/**
 * A node that will be drained, with its own group for its instance, and the evidence of its drain.
 */
export class DrainSite extends SitePods {
  readonly #history: PodHistory;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #comparisons: Comparison[];
  #plan: Plan | undefined;

  constructor({ world, history, node, settings, comparisons }: DrainSiteOptions) {
    super(world, node);
    this.#history = history;
    this.#settings = settings;
    this.#comparisons = comparisons;
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

  /** Lets `plan` say what the drain will meet, then terminates the instance. */
  async terminate(): Promise<void> {
    const { kubeconfig } = this.world.controlPlane;
    this.#plan = await foresee({ kubeconfig, node: this.name, settings: this.#settings });
    this.world.terminate(this.node.instanceId);
  }

  /** Terminates the instance, and waits for the end of the drain. */
  async drain(): Promise<Drained> {
    await this.terminate();
    return this.drained();
  }

  /** Waits for the end of the drain. */
  async drained(): Promise<Drained> {
    await this.world.released(this.node.instanceId);
    const stayed = (await this.pods()).filter(({ spec }) => spec?.nodeName === this.name);
    const outcome = await this.outcome();
    await this.compare();
    return {
      outcome,
      action: this.action(),
      stayed: stayed.map(nameOf).toSorted(),
      requests: await this.requests(),
    };
  }

  /** Throws if the drain went otherwise than `plan` had said. */
  async compare(): Promise<void> {
    const { startedAt, end } = this.action();
    const plan = this.#plan;
    if (plan === undefined) return;
    const outcome = await this.outcome();
    const comparisons = compared({
      ...{ plan, outcome, requests: await this.requests() },
      held: this.told("pods-held"),
      disturbed: this.budgetsTaken.length > 0 || ["ignored", "no-node"].includes(outcome.kind),
      seconds: ((end.kind === "ended" ? end.at : Date.now()) - startedAt) / 1000,
    });
    this.#comparisons.push(...comparisons);
    const wrong = comparisons.filter(({ agrees }) => !agrees);
    if (wrong.length > 0) throw new Error(`the plan was wrong:\n${table(wrong)}`);
  }

  /** The outcome of the notice. */
  async outcome(): Promise<Outcome> {
    return vi.waitFor(() => {
      const done = this.told("notice-done").find(({ notice }) =>
        notice.includes(this.node.instanceId),
      );
      if (done === undefined) throw new Error(`${this.name}: not done`);
      return done.outcome;
    }, patience);
  }

  /** The last lifecycle action of the instance. */
  action(): ActionRecord {
    const { instanceId: id } = this.node;
    const found = this.world.aws.autoScaling.actions().findLast((it) => it.instanceId === id);
    if (found === undefined) throw new Error(`${this.name}: nothing holds ${id}`);
    return found;
  }

  /** The function's requests for the pods so far. */
  async requests(): Promise<readonly PodRequest[]> {
    const entries = await this.world.controlPlane.audit({ userAgent: "eks-node-lifecycle/" });
    return podRequests(entries, this.name);
  }

  /** The function's journal entries of one kind about the site. */
  told<Kind extends Dated["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    const own = new RegExp(`\\b${this.name}\\b|${this.node.instanceId}`);
    return this.world.log
      .filter((line) => own.test(line))
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);
  }

  /** Waits for a journal entry about the site. */
  async until<Kind extends Dated["kind"]>(kind: Kind): Promise<Extract<Dated, { kind: Kind }>> {
    return vi.waitFor(() => {
      const [entry] = this.told(kind);
      if (entry === undefined) throw new Error(`${this.name}: nothing of ${kind}`);
      return entry;
    }, patience);
  }

  /** The changes of the site's pods, once the history contains the end of the given one. */
  async history(gone: string): Promise<readonly PodChange[]> {
    return vi.waitFor(() => {
      const changes = this.#history.in(this.name);
      if (changes.some(({ name, state }) => name === gone && state === "gone")) return changes;
      throw new Error(`${this.name}: ${gone} is not gone`);
    }, patience);
  }
}
