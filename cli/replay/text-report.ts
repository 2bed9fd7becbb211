import type { Happening } from "../../journal/happening.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { LiveProgress } from "../progress/live-progress.ts";
import { glyphsFor } from "../terminal/glyphs.ts";
import { timelineChart, usualWidth } from "../timeline/timeline-chart.ts";
import type { ReplayResult } from "./replay-result.ts";
import type { Beginning, Opening, Report } from "./report.ts";
import type { Verdict } from "./verdict.ts";

/** Reports a replay to a person: a line for each happening, then a timeline, then a one-line summary. */
export class TextReport implements Report {
  readonly #io: Io;
  readonly #progress: LiveProgress;

  constructor(io: Io) {
    this.#io = io;
    this.#progress = new LiveProgress(io);
  }

  open({ event, via, broken }: Opening): void {
    const { screen } = this.#progress;
    const way = via === "queue" ? "through topic and queue" : "by direct invocation";
    screen.say(`replaying ${event} ${way}`);
    if (broken !== "") screen.say(`broken on purpose: ${broken}`, "careful");
    this.#progress.start("the sandbox");
  }

  begin(beginning: Beginning): void {
    const words = { awaited: "for the function", limit: "the replay ends" };
    this.#progress.begin({ ...beginning, ...words });
  }

  tell(happening: Happening): void {
    this.#progress.tell(happening);
  }

  end(result: ReplayResult, { exitCode, line }: Verdict): void {
    this.close();
    const { screen } = this.#progress;
    const width = Math.min(screen.width, this.#io.stdout.columns ?? usualWidth);
    const chart = timelineChart(result, { width, glyphs: glyphsFor(this.#io) });
    if (chart.length > 0) screen.write(["", ...chart, ""]);
    if (exitCode === exitCodes.done) screen.say(line, "good");
    else screen.complain(line);
  }

  close(): void {
    this.#progress.close();
  }
}
