import type { Instant } from "../base/time.ts";
import type { Subject } from "../notice/subject.ts";
import { ConditionTeller } from "./condition-teller.flow.ts";
import { drainFigures } from "./drain-figures.ts";
import { newsOf } from "./drain-news.ts";
import { commonEvents, eventsOf } from "./event-table.ts";
import { EventTeller } from "./event-teller.flow.ts";
import { figuresOf } from "./figure-table.ts";
import { HoldWatch } from "./hold-watch.flow.ts";
import type { EventRow } from "./kube-event.ts";
import { commonNews } from "./lifecycle-conditions.ts";
import { embeddedMetrics, isFiltered, onLines, withFewNamespaces } from "./measured.ts";
import { NewsTeller } from "./news-teller.flow.ts";
import { factsAfter, factsOf, isGroupTask, type PassFacts } from "./pass-facts.ts";
import type { Figure } from "./report-entry.ts";
import type { LoadedTools, ReportedPass } from "./report-tools.flow.ts";
import type { HeardEntry, RecordedEntry } from "./reported-entry.ts";

// A line of the log has 1,500 bytes, and names its message, instance and group too.
const longestMetrics = 1000;

/** The namespaces that have time series of their own in this process. */
const namespaces = new WeakMap<LoadedTools, ReadonlySet<string>>();

/** Reports about one pass: collects its entries, and makes Events, metrics and news of them. */
export class PassReport {
  readonly #pass: ReportedPass<never>;
  readonly #tools: LoadedTools;
  readonly #events: readonly EventRow[];
  readonly #teller: EventTeller;
  readonly #news: NewsTeller;
  readonly #conditions: ConditionTeller;
  readonly #holds: HoldWatch;
  readonly #entries: HeardEntry[] = [];
  /** The state for each instance that the pass works on: work on a group may drain many. */
  readonly #stories = new Map<string, PassFacts>();

  constructor(pass: ReportedPass<never>, tools: LoadedTools) {
    this.#pass = pass;
    this.#tools = tools;
    this.#events = [...commonEvents, ...tools.rows.events];
    this.#teller = new EventTeller(pass.journal, tools.events);
    this.#news = new NewsTeller(pass.journal, tools);
    this.#conditions = new ConditionTeller(pass.journal, tools);
    this.#holds = new HoldWatch(tools.clock, (holds) => this.#safely(() => this.#say(holds)));
  }

  /** Takes an entry of the pass, or its end. An error here is logged, and does not stop the drain. */
  hear(entry: RecordedEntry | "end", at: Instant): void {
    this.#safely(() => (entry === "end" ? this.#end(at) : this.#tell({ ...entry, at })));
  }

  /** Waits until Events, news and conditions are sent. */
  async flush(): Promise<void> {
    await Promise.all([this.#teller.flush(), this.#news.flush(), this.#conditions.flush()]);
  }

  /** Drops Events and conditions that are not being sent yet, and waits no longer for news. */
  giveUp(): void {
    this.#teller.giveUp();
    this.#news.giveUp();
    this.#conditions.giveUp();
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (cause) {
      const warnings = [cause instanceof Error ? cause.message : "it could not be made"];
      this.#pass.journal.record({ kind: "warning", about: "the report of this pass", warnings });
    }
  }

  #tell(entry: HeardEntry): void {
    this.#entries.push(entry);
    const story = factsAfter(this.#storyOf(entry), entry);
    this.#stories.set(story.instance, story);
    this.#say(entry);
    this.#tellConditions(entry, story);
    this.#holds.hear(entry);
  }

  #say(happening: HeardEntry): void {
    const { reports, news } = this.#tools;
    const story = this.#storyOf(happening);
    const { instance, receives } = story;
    const pass = { story, begun: this.#pass.begun, entries: this.#entries };
    if (news === "on") for (const one of newsOf(happening, pass)) this.#news.tell(one);
    if (reports.kubernetesEvents === "off") return;
    for (const event of eventsOf(this.#events, happening, story))
      this.#teller.tell(event, { instance, receives, at: happening.at });
  }

  #tellConditions(entry: HeardEntry, story: PassFacts): void {
    const { drain, rows } = this.#tools;
    if (drain.settingsFor({}).settings.conditions === "off") return;
    for (const news of [...commonNews(entry, story), ...(rows.drains?.(entry) ?? [])])
      this.#conditions.tell(news);
  }

  #storyOf(about: Pick<Subject, "instance">): PassFacts {
    const { notice, receives, instance: own } = this.#pass;
    const isOfMany = isGroupTask(notice) && notice.nodes === "many";
    const instance = isOfMany ? (about.instance ?? "") : own;
    return this.#stories.get(instance) ?? factsOf({ notice, instance, receives });
  }

  #end(at: Instant): void {
    this.#holds.end();
    this.#measure(at);
  }

  #measure(to: Instant): void {
    const { reports, rows, metricsNamespace: namespace } = this.#tools;
    const { journal, ...pass } = this.#pass;
    const made = figuresOf([...drainFigures, ...rows.figures], {
      ...pass,
      entries: this.#entries,
      to,
    });
    const all = reports.metrics === "off" ? made.filter(isFiltered) : made;
    const before = namespaces.get(this.#tools) ?? new Set();
    const { figures, known } = withFewNamespaces(all, before);
    namespaces.set(this.#tools, known);
    const entryOf = (some: readonly Figure[]) => {
      const metrics = embeddedMetrics(some, to, namespace);
      return { kind: "measured", figures: some, ...metrics } as const;
    };
    const isShort = (some: readonly Figure[]) =>
      JSON.stringify(entryOf(some)).length < longestMetrics;
    for (const line of onLines(figures, isShort)) journal.record(entryOf(line));
  }
}
