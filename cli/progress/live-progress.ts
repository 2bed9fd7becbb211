import type { Happening } from "../../journal/happening.ts";
import type { ProgressLine } from "../../journal/line.ts";
import { progressLines } from "../../journal/progress-line.ts";
import { clock } from "../../journal/timeline.ts";
import { between, type Instant, instant, longest, milliseconds } from "../../lambda/base/time.ts";
import type { Io } from "../io.ts";
import type { TerminalRow } from "../terminal/output.ts";
import { progressText } from "../terminal/progress-text.ts";
import { Screen } from "../terminal/screen.ts";
import { PodBoard, type TimeLimits } from "./pod-board.ts";

const elapsedWidth = 7;
const foundByEachPass: ReadonlySet<string> = new Set<Happening["kind"]>([
  "node-found",
  "pods-protected",
  "pods-seen",
  "pods-stuck",
  "warning",
]);
const tick = milliseconds(500);

/** When some work began, and its time limits. */
export interface Beginning extends TimeLimits {
  readonly from: Instant;
}

/** Shows the progress of some work: a line for each entry and, on a terminal, a status with a line for each remaining pod. */
export class LiveProgress {
  readonly screen: Screen;
  #from: Instant = instant(Date.now());
  /** The lead of this computer's clock over the clock that dates the entries. */
  #ahead = 0;
  #board: PodBoard | string = "";
  #ticks: NodeJS.Timeout | undefined;
  readonly #said = new Set<string>();
  readonly #faults = new Set<string>();
  readonly #found = new Set<string>();

  constructor(io: Io) {
    this.screen = new Screen(io);
  }

  /** Says what starts; on a terminal, until it has begun. */
  start(what: string): void {
    this.#board = what;
    if (this.screen.isLive) this.#ticks = setInterval(() => this.#showStatus(), tick).unref();
    else this.screen.say(`starting ${what}`);
    this.#showStatus();
  }

  begin({ from, ...limits }: Beginning): void {
    this.#from = from;
    this.#ahead = Date.now() - from;
    this.#board = new PodBoard(limits);
    this.#showStatus();
  }

  tell(happening: Happening): void {
    this.hear(happening);
    if (this.#isToldAgain(happening)) return;
    for (const line of progressLines(happening))
      if (this.#isNews(line, happening)) this.write(happening.at, this.#timed(line, happening));
  }

  /** Updates the status only. */
  hear(happening: Happening): void {
    if (typeof this.#board !== "string") this.#board.hear(happening);
  }

  write(at: Instant, line: ProgressLine): void {
    this.screen.write(this.#progress(at, line));
  }

  /** Removes the status. */
  close(): void {
    clearInterval(this.#ticks);
    this.screen.show([]);
  }

  #showStatus(): void {
    const now = instant(Date.now() - this.#ahead);
    const board = this.#board;
    const lines =
      typeof board === "string"
        ? [{ tone: "faint", verb: "starting", detail: board } as const]
        : board.lines(now);
    this.screen.show(
      lines.flatMap((line, index) =>
        this.#progress(index < lines.length - 1 ? "later" : now, line),
      ),
    );
  }

  /** Adds how long an evicted pod took to leave. */
  #timed(line: ProgressLine, { kind, at }: Happening): ProgressLine {
    if (kind !== "pod-gone" || typeof this.#board === "string") return line;
    const took = this.#board.sinceAsked(line.detail, at);
    return took === "" ? line : { ...line, detail: `${line.detail}, in ${took}` };
  }

  /** A line of progress, or several on a narrow terminal. */
  #progress(at: Instant | "later", line: ProgressLine): readonly TerminalRow[] {
    // The time of the servers may be corrected by a moment after the begin.
    const elapsed = at === "later" ? "" : clock(longest(milliseconds(0), between(this.#from, at)));
    return progressText(elapsed.padStart(elapsedWidth), line, this.screen.width);
  }

  /** True if no earlier line says the same: each pass finds the same node and pods. */
  #isNews({ verb, detail }: ProgressLine, { kind }: Happening): boolean {
    const text = `${verb} ${detail}`;
    if (!foundByEachPass.has(kind) || !this.#found.has(text)) {
      this.#found.add(text);
      return true;
    }
    return false;
  }

  /** Drops repeats: a budget refuses the same pod many times, and Lambda repeats faults. */
  #isToldAgain(happening: Happening): boolean {
    const saying = sayingOf(happening);
    if (saying === "") return false;
    const isTold =
      happening.source === "world" && "code" in happening && this.#faults.has(happening.code);
    if (happening.kind === "fault") this.#faults.add(happening.code);
    const again = isTold || this.#said.has(saying);
    this.#said.add(saying);
    return again;
  }
}

/** The part of an entry that is reported only once. */
function sayingOf(happening: Happening): string {
  switch (happening.kind) {
    case "pod-refused":
      return `${happening.pod} ${happening.verb} ${happening.why} ${happening.message}`;
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
