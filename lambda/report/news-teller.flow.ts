import { faultOf } from "../base/fault.ts";
import { newsAnnotation, unchanged } from "../drain/marking.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { News } from "../registrations/entry.ts";
import type { Journal } from "../registrations/process.port.ts";
import { isFirst, type Tellable } from "./drain-news.ts";
import type { ReportTools } from "./report-tools.flow.ts";

/**
 * Writes the news of a drain to the journal, each once. The node remembers which: who writes its annotation first, tells them.
 *
 * What cannot be written there is told by the next pass. After the end there is none, so the end is told all the same.
 */
export class NewsTeller {
  readonly #journal: Journal;
  readonly #tools: Pick<ReportTools, "clock" | "cluster">;
  readonly #waiting = new Set<News>();
  #last: Promise<void> = Promise.resolve();
  #sawPods = false;

  constructor(journal: Journal, tools: Pick<ReportTools, "clock" | "cluster">) {
    this.#journal = journal;
    this.#tools = tools;
  }

  /** Tells news after those before them, if they are the first of their kind. */
  tell(tellable: Tellable): void {
    const { news } = tellable;
    this.#sawPods ||= news.news === "start";
    this.#waiting.add(news);
    this.#last = this.#last.then(() => this.#tellIfFirst(tellable));
  }

  /** Waits until all news so far are told. */
  flush(): Promise<void> {
    return this.#last;
  }

  /** Waits no longer. */
  giveUp(): void {
    for (const news of this.#waiting) if (news.news === "end") this.#record(news);
    this.#waiting.clear();
  }

  async #tellIfFirst(tellable: Tellable): Promise<void> {
    const { news } = tellable;
    const isToBeTold = await this.#noted(tellable).catch((cause: unknown) => {
      const warnings = [faultOf(cause).message];
      this.#journal.record({ kind: "warning", about: "news of the drain", warnings });
      return news.news === "end";
    });
    if (this.#waiting.delete(news) && isToBeTold) this.#record(news);
  }

  /** Notes at the node that news are told; says whether they were not yet. */
  async #noted({ news, leaves }: Tellable): Promise<boolean> {
    const { cluster, clock } = this.#tools;
    const answer = await overOthers(async () => {
      const node = await cluster.node(news.node);
      if (node === "absent") return "gone";
      if (!isFirst(news.news, node.annotations[newsAnnotation], this.#sawPods))
        return "told before";
      const annotations = { [newsAnnotation]: leaves };
      return cluster.mark(node, () => ({ ...unchanged, annotations }));
    }, clock);
    if (answer === "gone" || answer === "changed") return news.news === "end" && this.#sawPods;
    return answer === "marked";
  }

  #record(news: News): void {
    this.#journal.record({ kind: "drain-news", ...news });
  }
}
