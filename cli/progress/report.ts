import type { Happening } from "../../journal/happening.ts";
import type { Tone } from "../../journal/line.ts";
import { between, type Instant, instant, minutes } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { OutputBody } from "../json/output-schema.ts";
import { printHappening, printJson } from "../json/print-json.ts";
import type { TerminalRow } from "../terminal/output.ts";
import { usualWidth } from "../timeline/timeline-chart.ts";
import { type Beginning, LiveProgress } from "./live-progress.ts";

/** The end of some work: an object for programs, with one line for people. */
export type EndOf<Kind extends OutputBody["kind"]> = Extract<
  OutputBody,
  { readonly kind: Kind }
> & {
  readonly exitCode: ExitCode;
  readonly line: string;
};

type EndHappening = EndOf<"drain-end" | "dry-run" | "evacuation-end" | "summary">;

/** The text about an end, in addition to its line or in its place. */
interface EndForPeople {
  /** Draws what comes before it, for a width. */
  readonly drawing?: (width: number) => readonly TerminalRow[];
  /** The line in several. */
  readonly lines?: readonly string[];
}

/** Reports a replay or drains to people or programs, while they run and at the end. */
export interface Report {
  say(text: string, tone?: Tone): void;
  /** Says what starts, until it has begun. */
  start(what: string): void;
  begin(beginning: Beginning): void;
  tell(happening: Happening): void;
  /** Warns before, or instead of, a drain. */
  warn(about: string, warning: string): void;
  end(end: EndHappening, forPeople?: EndForPeople): void;
  /** Stops what the report does in the background. */
  close(): void;
}

/** The reported command: a replay reports everything, a drain at a terminal leaves out repetitions. */
type ReportedCommand = "drain" | "replay";

/** The report for people or programs. */
export const reportFor = (work: ReportedCommand, format: "json" | "text", io: Io): Report =>
  format === "json" ? new JsonReport(work, io) : new TextReport(work, io);

/** One JSON object on each line. */
class JsonReport implements Report {
  readonly #work: ReportedCommand;
  readonly #io: Io;
  #from: Instant = instant(Date.now());

  constructor(work: ReportedCommand, io: Io) {
    this.#work = work;
    this.#io = io;
  }

  say(): void {
    // Programs get entries only.
  }

  start(): void {
    // As above.
  }

  begin({ from }: Beginning): void {
    this.#from = from;
  }

  tell(happening: Happening): void {
    const source = this.#work === "drain" ? "drain" : happening.source;
    printHappening(this.#io.stdout, { ...happening, source }, this.#from);
  }

  warn(about: string, warning: string): void {
    printJson(this.#io.stdout, { kind: "text", text: `warning: ${about}: ${warning}` });
  }

  end(end: EndHappening): void {
    printJson(this.#io.stdout, end);
    const isTold = this.#work === "drain" || end.exitCode === exitCodes.done;
    if (!isTold) this.#io.stderr.writeLine(end.line);
  }

  close(): void {
    // It does nothing by itself.
  }
}

/** A line for each entry, and a last one that sums up. */
class TextReport implements Report {
  readonly #work: ReportedCommand;
  readonly #io: Io;
  readonly #progress: LiveProgress;
  #reasonsTold: Instant | "never" = "never";

  constructor(work: ReportedCommand, io: Io) {
    this.#work = work;
    this.#io = io;
    this.#progress = new LiveProgress(io);
  }

  say(text: string, tone: Tone = "plain"): void {
    this.#progress.screen.say(text, tone);
  }

  start(what: string): void {
    this.#progress.start(what);
  }

  begin(beginning: Beginning): void {
    this.#reasonsTold = beginning.from;
    this.#progress.begin(beginning);
  }

  tell(happening: Happening): void {
    if (this.#work === "replay") this.#progress.tell(happening);
    else if (happening.kind === "pass-ended") this.#tellReasons(happening);
    else if (happening.kind !== "pass-started" && happening.kind !== "notice-done")
      this.#progress.tell(happening);
  }

  warn(about: string, warning: string): void {
    this.say(`warning: ${about}: ${warning}`, "careful");
  }

  end(
    { exitCode, line }: EndHappening,
    { drawing = () => [], lines = [line] }: EndForPeople = {},
  ): void {
    // Nothing is under way any more, so there is no status to show.
    if (this.#work === "replay") this.close();
    const { screen } = this.#progress;
    const rows = drawing(Math.min(screen.width, this.#io.stdout.columns ?? usualWidth));
    if (rows.length > 0) screen.write(rows);
    const [head = line, ...below] = lines;
    this.#sumUp([head, ...below.map((one) => `  ${one}`)], exitCode);
  }

  #sumUp(lines: readonly string[], exitCode: ExitCode): void {
    const { screen } = this.#progress;
    for (const one of lines)
      if (exitCode === exitCodes.done) screen.say(one, "good");
      else screen.complain(one);
  }

  close(): void {
    this.#progress.close();
  }

  /** If no status can be shown, the reasons of the remaining pods are written every minute. */
  #tellReasons(happening: Extract<Happening, { readonly kind: "pass-ended" }>): void {
    this.#progress.hear(happening);
    const { at, left } = happening;
    if (this.#progress.screen.isLive || this.#reasonsTold === "never") return;
    if (between(this.#reasonsTold, at) < minutes(1)) return;
    this.#reasonsTold = at;
    for (const detail of noteLines(left))
      this.#progress.write(at, { tone: "faint", verb: "waiting", detail });
  }
}
