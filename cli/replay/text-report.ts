import type { Happening } from "../../journal/happening.ts";
import { type ProgressLine, progressLines } from "../../journal/progress-line.ts";
import { clock } from "../../journal/timeline.ts";
import { between, type Instant, instant } from "../../lambda/domain/time.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type Paint, paintFor } from "../paint.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Opening, Report } from "./report.ts";
import { timelineChart } from "./timeline-chart.ts";
import type { Verdict } from "./verdict.ts";

const verbWidth = 11;
// For an output of unknown width: wide enough for the names, the bars and the notes.
const usualWidth = 140;

/** Reports a replay to a person: a line for each happening, then a timeline, then a one-line summary. */
export class TextReport implements Report {
  readonly #io: Io;
  readonly #paint: Paint;
  #from: Instant = instant(0);
  readonly #said: string[] = [];

  constructor(io: Io) {
    this.#io = io;
    this.#paint = paintFor(io);
  }

  begin({ event, via, broken, from }: Opening): void {
    this.#from = from;
    const way = via === "queue" ? "through topic and queue" : "by direct invocation";
    this.#line(`replaying ${event} ${way}`);
    if (broken !== "") this.#line(this.#paint("careful", `broken on purpose: ${broken}`));
  }

  tell(happening: Happening): void {
    if (this.#isToldAgain(happening)) return;
    for (const line of progressLines(happening)) this.#progress(happening.at, line);
  }

  end(result: ReplayResult, { exitCode, line }: Verdict): void {
    const { columns: width = usualWidth } = this.#io.stdout;
    const chart = timelineChart(result, { width, paint: this.#paint });
    for (const drawn of chart.length === 0 ? [] : ["", ...chart, ""]) this.#line(drawn);
    if (exitCode === exitCodes.done) this.#line(this.#paint("good", line));
    else this.#io.stderr.write(`${line}\n`);
  }

  #progress(at: Instant, { tone, verb, detail }: ProgressLine): void {
    const elapsed = clock(between(this.#from, at)).padStart(7);
    const word = this.#paint(tone, verb.padEnd(verbWidth));
    this.#line(`${this.#paint("faint", elapsed)}  ${word} ${detail}`);
  }

  /** Some things come twice: a budget refuses the same pod many times, and Lambda repeats faults. */
  #isToldAgain(happening: Happening): boolean {
    const saying = sayingOf(happening);
    if (saying === "") return false;
    const again = this.#said.some((said) => saying.includes(said));
    if (happening.source === "function") this.#said.push(saying);
    return again;
  }

  #line(text: string): void {
    this.#io.stdout.write(`${text}\n`);
  }
}

/** The part of a happening that the report prints only once. */
function sayingOf(happening: Happening): string {
  switch (happening.kind) {
    case "pod-refused":
      return `${happening.pod} ${happening.why} ${happening.message}`;
    case "fault":
      return happening.message;
    case "output":
      return happening.text;
    case "invocation-ended":
      return happening.error;
    default:
      return "";
  }
}
