import { faultOf } from "../base/fault.ts";
import { newsAnnotation, unchanged } from "../drain/marking.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import { isFirst, type Tellable } from "./drain-news.ts";
import type { News, ReportEntry } from "./report-entry.ts";
import type { ReportTools } from "./report-tools.flow.ts";

/**
 * Writes the news of a drain to the journal, each once. The node's annotation says which are written: whoever changes it
 * first writes the entry. If the annotation cannot be written, the next pass tries again. No pass follows the end of a
 * drain, so its news is always written.
 */
export class NewsTeller {
  readonly #journal: Journal<PassEntry | ReportEntry>;
  readonly #tools: Pick<ReportTools, "clock" | "cluster">;
  readonly #waiting = new Set<News>();
  #last: Promise<void> = Promise.resolve();
  #sawPods = false;

  constructor(
    journal: Journal<PassEntry | ReportEntry>,
    tools: Pick<ReportTools, "clock" | "cluster">,
  ) {
    this.#journal = journal;
    this.#tools = tools;
  }

  /** Queues news, unless an earlier pass has written news of that kind. */
  tell(tellable: Tellable): void {
    const { news } = tellable;
    this.#sawPods ||= news.news === "start";
    this.#waiting.add(news);
    this.#last = this.#last.then(() => this.#tellIfFirst(tellable));
  }

  /** Waits until all queued news are written. */
  flush(): Promise<void> {
    return this.#last;
  }

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

  /** Notes on the node that news are written. Returns whether this is the first time. */
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
