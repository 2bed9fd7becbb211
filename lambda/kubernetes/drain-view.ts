import type { Bell } from "../base/bell.ts";
import type { NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import { unlike } from "../drain/alike.ts";
import { type Budget, type BudgetAccounts, governs } from "../drain/budget.ts";
import type { Node } from "../drain/node.ts";
import type { Pod } from "../drain/pod.ts";
import type { DrainView, NodesView } from "../registrations/kubernetes.port.ts";
import { nodesNamed, podsOf } from "./collections.ts";
import { Informer, type InformerOptions, type InformerTools, type Listener } from "./informer.ts";
import type { SharedBudgets } from "./shared-budgets.ts";
import type { Followed } from "./shared-informers.ts";

/** What a view of a drain needs; the bell rings when a pod of the node has changed, or a budget that selects one. */
export interface ViewOptions extends InformerTools {
  readonly bell: Bell;
  readonly budgets: SharedBudgets;
}

/** Follows the pods of a node, and the budgets in their namespaces; fails if it cannot follow all of that. */
export async function drainView(node: NodeName, options: ViewOptions): Promise<DrainView> {
  const view = new NodeDrainView(node, options);
  try {
    await view.start();
  } catch (cause) {
    view.close();
    throw cause;
  }
  return view;
}

class NodeDrainView implements DrainView {
  readonly #options: ViewOptions;
  readonly #pods: Informer<Pod>;
  /** The namespaces of pods seen so far; the budgets of the latest may still be on their way. */
  readonly #namespaces = new Map<string, Promise<void>>();
  readonly #followed: Followed<Budget>[] = [];
  readonly #concerned: Listener<Budget> = {
    ring: (news) => {
      if (this.#concerns(news)) this.#options.bell.ring();
    },
  };
  /** The pods whose namespaces are known. */
  #seen: readonly Pod[] = [];
  #state: "open" | "closed" = "open";
  #fault: { readonly cause: unknown } | undefined;

  constructor(node: NodeName, options: ViewOptions) {
    this.#options = options;
    this.#pods = new Informer(podsOf(node), options);
  }

  async start(): Promise<void> {
    await this.#pods.start();
    this.#followBudgets();
    await Promise.all(this.#namespaces.values());
    this.budgets();
  }

  /** Pods of a new namespace are reported at once. The API server enforces their budgets until they are known here. */
  pods(): readonly Pod[] {
    this.#followBudgets();
    return this.#seen;
  }

  budgets(): readonly Budget[] {
    if (this.#fault !== undefined) throw this.#fault.cause;
    return this.#followed.flatMap((budgets) => budgets.items());
  }

  accounts(): BudgetAccounts {
    return this.#options.budgets.accounts();
  }

  listed(): Instant {
    return this.#pods.listed();
  }

  list(): Promise<void> {
    return this.#pods.list();
  }

  close(): void {
    this.#state = "closed";
    this.#pods.close();
    for (const budgets of this.#followed) budgets.close();
  }

  #followBudgets(): void {
    const pods = this.#pods.items();
    if (pods === this.#seen) return; // a drain asks many times for each change
    this.#seen = pods;
    for (const { namespace } of pods)
      if (!this.#namespaces.has(namespace))
        this.#namespaces.set(namespace, this.#follow(namespace));
  }

  #concerns(news: readonly Budget[] | "all"): boolean {
    if (news === "all" || this.#pods.isOver()) return true;
    return unlike(this.#pods.items()).some((pod) => news.some((budget) => governs(budget, pod)));
  }

  async #follow(namespace: string): Promise<void> {
    const { budgets, bell } = this.#options;
    try {
      const followed = await budgets.follow(namespace, this.#concerned);
      if (this.#state === "closed") followed.close();
      else this.#followed.push(followed);
    } catch (cause) {
      this.#fault = { cause };
    }
    bell.ring();
  }
}

/** Follows the nodes with the given names, even if there are no such nodes yet. */
export async function nodesView(
  names: readonly NodeName[],
  options: InformerOptions<Node>,
): Promise<NodesView> {
  const informers = names.map((name) => new Informer(nodesNamed(name), options));
  const close = (): void => {
    for (const informer of informers) informer.close();
  };
  try {
    await Promise.all(informers.map((informer) => informer.start()));
  } catch (cause) {
    close();
    throw cause;
  }
  return { nodes: () => informers.flatMap((informer) => informer.items()), close };
}
