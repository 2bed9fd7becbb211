import { later, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import { tryOwnTime } from "../notice/begun-at.ts";
import type { AnyEntry } from "../notice/entry.ts";
import type { Journal } from "../notice/journal.port.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { AnyNotice } from "../notice/notice.ts";
import type { AnyOutcome, Pass } from "../notice/outcome.ts";
import type { NoticeDone, PassEntry } from "../notice/pass-entry.ts";
import type { Subject } from "../notice/subject.ts";
import type { PassReport } from "./pass-report.flow.ts";
import type { ReportEntry } from "./report-entry.ts";
import type { ReportedPass, ReportTools } from "./report-tools.flow.ts";
import type { RecordedEntry } from "./reported-entry.ts";

// An invocation's last wait for requests to the API server that are still under way.
const flushTimeout = seconds(2);

const nothing = () => undefined;

/**
 * Reports about the passes of this process, as Events, metrics and news. A pass never waits for its report, and never fails
 * because of it.
 */
export class Reports {
  readonly #tools: ReportTools;
  #loaded: ReturnType<typeof loaded> | undefined;
  #open: readonly Promise<PassReport>[] = [];

  constructor(tools: ReportTools) {
    this.#tools = tools;
  }

  /** Runs a pass whose entries go to the given journal, and reports about it. */
  async about<E extends AnyEntry, O extends AnyOutcome>(
    {
      notice,
      title,
      instance,
      receives,
      journal,
    }: Pick<ReportedPass<E>, "instance" | "journal" | "receives"> & {
      readonly notice: AnyNotice;
      /** The content of the notice, in a few words for people. */
      readonly title: string;
    },
    work: (journal: Journal<E | PassEntry | ReportEntry>) => Promise<Pass<O>>,
  ): Promise<Pass<O>> {
    if (notice.kind === "test") return work(journal);
    const now = this.#tools.clock.now();
    const begun = tryOwnTime(notice, now) ?? now;
    return this.hear({ notice, instance, receives, journal, begun }, async (heard, tell) => {
      const pass = await work(heard);
      if ("outcome" in pass) {
        const end: NoticeDone = { kind: "notice-done", notice: title, outcome: pass.outcome };
        tell(end);
      }
      return pass;
    });
  }

  /** Runs work whose entries go to the journal of a pass, and reports about it. */
  async hear<T, E extends AnyEntry>(
    pass: ReportedPass<E>,
    work: (
      journal: Journal<E | PassEntry | ReportEntry>,
      tell: (entry: RecordedEntry) => void,
    ) => Promise<T>,
  ): Promise<T> {
    const hear = this.#begin(pass);
    const heard = (entry: (E | PassEntry | ReportEntry) & Subject) => {
      pass.journal.record(entry);
      hear(entry);
    };
    try {
      return await work({ record: heard }, hear);
    } catch (cause) {
      hear(faultEntry(cause));
      throw cause;
    } finally {
      hear("end");
    }
  }

  /** Waits a moment for reports that are not sent yet, and then drops them. */
  async settled(): Promise<void> {
    const { clock } = this.#tools;
    const open = this.#open;
    this.#open = [];
    if (open.length === 0) return;
    const flushed = new Wakeup();
    const all = Promise.allSettled(open.map(async (report) => (await report).flush()));
    void all.then(() => flushed.notify());
    await clock.sleep(later(clock.now(), flushTimeout), flushed);
    for (const report of open) report.then((it) => it.giveUp()).catch(nothing);
  }

  #begin(pass: ReportedPass<never>): (entry: RecordedEntry | "end") => void {
    this.#loaded ??= loaded(this.#tools);
    const report = this.#loaded.then(({ PassReport, tools }) => new PassReport(pass, tools));
    this.#open = [...this.#open, report];
    return (entry) => {
      const at = this.#tools.clock.now();
      report.then((it) => it.hear(entry, at)).catch(nothing);
    };
  }
}

/** Loads what makes reports, while the first pass runs. */
async function loaded(given: ReportTools) {
  const [{ PassReport }, rows] = await Promise.all([import("./pass-report.flow.ts"), given.rows()]);
  return { PassReport, tools: { ...given, rows } };
}
