import type { Happening } from "../../journal/happening.ts";
import type { ProgressLine } from "../../journal/line.ts";
import { progressLines } from "../../journal/progress-line.ts";
import { clock } from "../../journal/timeline.ts";
import { between, type Instant, instant, milliseconds } from "../../lambda/base/time.ts";
import type { Io } from "../io.ts";
import type { TerminalRow } from "../terminal/output.ts";
import { progressText } from "../terminal/progress-text.ts";
import { Screen } from "../terminal/screen.ts";
import { PodBoard, type TimeLimits } from "./pod-board.ts";

const elapsedWidth = 7;
const foundByEachPass: ReadonlySet<string> = new Set<Happening["kind"]>([
  "node-found",
  "pods-seen",
  "warning",
]);
const tick = milliseconds(500);

/** When some work began, and when it ends at the latest. */
export interface Beginning extends TimeLimits {
  readonly from: Instant;
}

/** Shows work as it goes on: a line for each happening, and on a terminal, below, one for each pod that is left. */
export class LiveProgress {
  readonly screen: Screen;
  #from: Instant = instant(Date.now());
  #board: PodBoard | string = "";
  #ticks: NodeJS.Timeout | undefined;
  readonly #said = new Set<string>();
  readonly #faults = new Set<string>();
  readonly #found = new Set<string>();

  constructor(io: Io) {
    this.screen = new Screen(io);
  }

  /** Says what starts, and on a terminal goes on saying so until it has begun. */
  start(what: string): void {
    this.#board = what;
    if (this.screen.isLive) this.#ticks = setInterval(() => this.#showStatus(), tick).unref();
    else this.screen.say(`starting ${what}`);
    this.#showStatus();
  }

  begin({ from, ...limits }: Beginning): void {
    this.#from = from;
    this.#board = new PodBoard(limits);
    this.#showStatus();
  }

  tell(happening: Happening): void {
    this.hear(happening);
    if (this.#isToldAgain(happening)) return;
    for (const line of progressLines(happening))
      if (this.#isNews(line, happening)) this.write(happening.at, this.#timed(line, happening));
  }

  /** Takes a happening into the status alone. */
  hear(happening: Happening): void {
    if (typeof this.#board !== "string") this.#board.hear(happening);
  }

  /** Writes a line that stays. */
  write(at: Instant, line: ProgressLine): void {
    this.screen.write(this.#progress(at, line));
  }

  /** Takes the status away, and shows none any more. */
  close(): void {
    clearInterval(this.#ticks);
    this.screen.show([]);
  }

  #showStatus(): void {
    const now = instant(Date.now());
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

  /** Says how long an evicted pod has taken to go. */
  #timed(line: ProgressLine, { kind, at }: Happening): ProgressLine {
    if (kind !== "pod-gone" || typeof this.#board === "string") return line;
    const took = this.#board.sinceAsked(line.detail, at);
    return took === "" ? line : { ...line, detail: `${line.detail}, in ${took}` };
  }

  /** One line, or as many as a narrow terminal needs. */
  #progress(at: Instant | "later", line: ProgressLine): readonly TerminalRow[] {
    const elapsed = at === "later" ? "" : clock(between(this.#from, at));
    return progressText(elapsed.padStart(elapsedWidth), line, this.screen.width);
  }

  /** Whether a line says what no earlier one has said: each pass finds the same node and pods. */
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

/** The part of a happening that is told only once. */
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
