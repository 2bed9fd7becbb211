import type { Entry } from "../../domain/entry.ts";
import { tryOwnTime } from "../../domain/notice/begun-at.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import { subjectOf } from "../../domain/notice/subject.ts";
import type { Task } from "../../domain/report/story.ts";
import { later, seconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Journal } from "../../ports/journal.ts";
import { faultEntry } from "../fault-entry.ts";
import type { PassReport } from "./pass-report.ts";
import type { ReportedPass, ReportTools, Told } from "./report-tools.ts";

// So long an invocation waits at its end for what is still on its way to the API server.
const patience = seconds(2);

const nothing = () => undefined;

// What makes reports is loaded beside the first pass.
const load = () => import("./pass-report.ts");

/** A pass that begins, and the entry with which its work ends. */
interface Begun<O> extends Pick<ReportedPass, "journal" | "receives" | "task"> {
  readonly endEntry: (outcome: O) => Entry;
}

/** Reports about the passes of this process, as Events of Kubernetes and as metrics. A pass never waits for that, and never fails by it. */
export class Reports {
  readonly #tools: ReportTools;
  #open: readonly Promise<PassReport>[] = [];

  constructor(tools: ReportTools) {
    this.#tools = tools;
  }

  /** Does a pass whose entries go to the given journal, and reports about it. */
  async about<O>(
    { task, receives, journal, endEntry }: Begun<O>,
    work: (journal: Journal) => Promise<Pass<O>>,
  ): Promise<Pass<O>> {
    if (task.kind === "test") return work(journal);
    const hear = this.#begin({ ...this.#bounds(task), task, receives, journal });
    const heard = (entry: Told) => {
      journal.record(entry);
      hear(entry);
    };
    try {
      const pass = await work({ record: heard });
      if ("outcome" in pass) hear(endEntry(pass.outcome));
      return pass;
    } catch (cause) {
      hear(faultEntry(cause));
      throw cause;
    } finally {
      hear("end");
    }
  }

  /** Waits a moment for what has not been told yet, and gives it up then. */
  async settled(): Promise<void> {
    const { clock } = this.#tools;
    const open = this.#open;
    this.#open = [];
    if (open.length === 0) return;
    const told = new Bell();
    const all = Promise.allSettled(open.map(async (report) => (await report).told()));
    void all.then(() => told.ring());
    await clock.sleep(later(clock.now(), patience), told);
    for (const report of open) report.then((it) => it.giveUp()).catch(nothing);
  }

  #bounds(task: Task): Pick<ReportedPass, "begun" | "instance"> {
    const begun = this.#tools.clock.now();
    if (task.kind === "upgraded") return { begun, instance: "" };
    const { instance = "" } = subjectOf(task);
    return { begun: tryOwnTime(task, begun) ?? begun, instance };
  }

  #begin(pass: ReportedPass): (entry: Told | "end") => void {
    const report = load().then(({ PassReport: Loaded }) => new Loaded(pass, this.#tools));
    this.#open = [...this.#open, report];
    return (entry) => {
      const at = this.#tools.clock.now();
      report.then((it) => it.hear(entry, at)).catch(nothing);
    };
  }
}
