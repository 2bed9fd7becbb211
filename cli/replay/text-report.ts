import type { Happening } from "../../journal/happening.ts";
import { type ProgressLine, progressLines } from "../../journal/progress-line.ts";
import { clock } from "../../journal/timeline.ts";
import { between, type Instant, instant, milliseconds } from "../../lambda/domain/time.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { type Paint, paintFor } from "../terminal/paint.ts";
import { progressText } from "../terminal/progress-text.ts";
import { Screen } from "../terminal/screen.ts";
import { timelineChart, usualWidth } from "../timeline/timeline-chart.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Beginning, Opening, Report } from "./report.ts";
import type { Verdict } from "./verdict.ts";
import { Waiting } from "./waiting.ts";

const elapsedWidth = 7;
const tick = milliseconds(500);

/** Reports a replay to a person: a line for each happening, then a timeline, then a one-line summary. */
export class TextReport implements Report {
  readonly #io: Io;
  readonly #paint: Paint;
  readonly #screen: Screen;
  #from: Instant = instant(Date.now());
  #waiting: Waiting | "starts" = "starts";
  #ticks: NodeJS.Timeout | undefined;
  readonly #said: string[] = [];

  constructor(io: Io) {
    this.#io = io;
    this.#paint = paintFor(io);
    this.#screen = new Screen(io);
  }

  open({ event, via, broken }: Opening): void {
    const way = via === "queue" ? "through topic and queue" : "by direct invocation";
    this.#screen.say(`replaying ${event} ${way}`);
    if (broken !== "")
      this.#screen.say(`broken on purpose: ${broken}`, (line) => this.#paint("careful", line));
    if (this.#screen.isLive) this.#ticks = setInterval(() => this.#showStatus(), tick).unref();
    else this.#screen.say("starting the sandbox");
    this.#showStatus();
  }

  begin({ from, ...limits }: Beginning): void {
    this.#from = from;
    this.#waiting = new Waiting(limits);
    this.#showStatus();
  }

  tell(happening: Happening): void {
    if (this.#waiting !== "starts") this.#waiting.hear(happening);
    if (this.#isToldAgain(happening)) return;
    for (const line of progressLines(happening))
      this.#screen.write(this.#progress(happening.at, line));
  }

  end(result: ReplayResult, { exitCode, line }: Verdict): void {
    this.close();
    const width = Math.min(this.#screen.width, this.#io.stdout.columns ?? usualWidth);
    const canvas = { width, paint: this.#paint, glyphs: glyphsFor(this.#io) };
    const chart = timelineChart(result, canvas);
    if (chart.length > 0) this.#screen.write(["", ...chart, ""]);
    if (exitCode === exitCodes.done) this.#screen.say(line, (part) => this.#paint("good", part));
    else this.#screen.complain(line);
  }

  close(): void {
    clearInterval(this.#ticks);
    this.#screen.show([]);
  }

  #showStatus(): void {
    const now = instant(Date.now());
    const detail = this.#waiting === "starts" ? "the sandbox" : this.#waiting.words(now);
    const verb = this.#waiting === "starts" ? "starting" : "waiting";
    this.#screen.show(this.#progress(now, { tone: "faint", verb, detail }));
  }

  #progress(at: Instant, line: ProgressLine): readonly string[] {
    const elapsed = clock(between(this.#from, at)).padStart(elapsedWidth);
    return progressText(elapsed, line, { width: this.#screen.width, paint: this.#paint });
  }

  /** Some things come twice: a budget refuses the same pod many times, and Lambda repeats faults. */
  #isToldAgain(happening: Happening): boolean {
    const saying = sayingOf(happening);
    if (saying === "") return false;
    const again = this.#said.some((said) => saying.includes(said));
    if (happening.source === "function") this.#said.push(saying);
    return again;
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
