import { type Happening, ofKind } from "../../journal/happening.ts";
import { limited } from "../../lambda/domain/drain/hold-reason.ts";
import { legible } from "../../lambda/domain/legible.ts";
import type { Outcome } from "../../lambda/domain/notice/outcome.ts";
import { between, type Instant, instant, minutes } from "../../lambda/domain/time.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { EvacuationEnd } from "../json/evacuation-schema.ts";
import { printHappening, printJson } from "../json/print-json.ts";
import { type Beginning, LiveProgress } from "../progress/live-progress.ts";
import { forcedIn } from "../replay/replay-words.ts";
import type { DrainStory, DrainVerdict } from "./drain-verdict.ts";

/** What the drain of a node would do. */
export interface DryRun extends Omit<Extract<Outcome, { readonly kind: "dry-run" }>, "kind"> {
  readonly node: string;
  readonly exitCode: ExitCode;
  readonly line: string;
}

/** Reports drains at a terminal to people or programs. */
export interface DrainReport {
  begin(beginning: Beginning): void;
  tell(happening: Happening): void;
  /** Something that a person should know before, or instead of, a drain. */
  warn(about: string, warning: string): void;
  /** Says how the drain of a node has ended. */
  end(story: DrainStory, verdict: DrainVerdict): void;
  tried(run: DryRun): void;
  opened(node: string, line: string): void;
  /** Says how the evacuation of a zone has ended. */
  evacuated(end: EvacuationEnd): void;
  close(): void;
}

/** Reports drains to a person. */
export class DrainText implements DrainReport {
  readonly #progress: LiveProgress;
  #reasonsTold: Instant | "never" = "never";

  constructor(io: Io) {
    this.#progress = new LiveProgress(io);
  }

  begin(beginning: Beginning): void {
    this.#reasonsTold = beginning.from;
    this.#progress.start("the drain");
    this.#progress.begin(beginning);
  }

  tell(happening: Happening): void {
    if (happening.kind === "pass-started" || happening.kind === "notice-done") return;
    if (happening.kind !== "pass-ended") this.#progress.tell(happening);
    else {
      this.#progress.hear(happening);
      this.#tellReasons(happening);
    }
  }

  warn(about: string, warning: string): void {
    this.#say("careful", `warning: ${about}: ${warning}`);
  }

  end(_: DrainStory, verdict: DrainVerdict): void {
    this.#conclude(verdict);
  }

  tried({ node, evicted, held, left, ...run }: DryRun): void {
    this.#say("plain", `dry run of ${node}: nothing is changed`);
    for (const pod of limited(evicted)) this.#say("good", `  evict   ${pod}`);
    for (const pod of limited(held)) this.#say("careful", `  held    ${pod}`);
    for (const pod of limited(left)) this.#say("faint", `  stays   ${pod}`);
    this.#conclude(run);
  }

  opened(_: string, line: string): void {
    this.#say("good", line);
  }

  evacuated(end: EvacuationEnd): void {
    this.#conclude(end);
  }

  close(): void {
    this.#progress.close();
  }

  #conclude({ exitCode, line }: Pick<EvacuationEnd, "exitCode" | "line">): void {
    if (exitCode === exitCodes.done) this.#say("good", line);
    else this.#progress.screen.complain(legible(line));
  }

  #say(tone: Parameters<LiveProgress["paint"]>[0], text: string): void {
    const { screen, paint } = this.#progress;
    screen.say(legible(text), (part) => paint(tone, part));
  }

  /** Where no status is drawn anew, the reasons of the pods that are left come every minute. */
  #tellReasons({ at, left }: Extract<Happening, { readonly kind: "pass-ended" }>): void {
    if (this.#progress.screen.isLive || this.#reasonsTold === "never") return;
    if (between(this.#reasonsTold, at) < minutes(1)) return;
    this.#reasonsTold = at;
    for (const detail of left) this.#progress.write(at, { tone: "faint", verb: "waiting", detail });
  }
}

/** Reports drains to a program: one JSON object on each line. */
export class DrainJson implements DrainReport {
  readonly #io: Io;
  #from: Instant = instant(0);

  constructor(io: Io) {
    this.#io = io;
  }

  begin({ from }: Beginning): void {
    this.#from = from;
  }

  tell(happening: Happening): void {
    printHappening(this.#io.stdout, { ...happening, source: "drain" }, this.#from);
  }

  warn(about: string, warning: string): void {
    printJson(this.#io.stdout, { kind: "text", text: `warning: ${about}: ${warning}` });
  }

  end(story: DrainStory, { exitCode, ending, left, line }: DrainVerdict): void {
    const { node, from, to, happenings } = story;
    printJson(this.#io.stdout, {
      kind: "drain-end",
      node,
      ending,
      exitCode,
      line,
      elapsed: between(from, to) / 1000,
      gone: [...new Set(ofKind(happenings, "pod-gone").map(({ pod }) => pod))],
      forced: forcedIn(story),
      left,
    });
  }

  tried(run: DryRun): void {
    printJson(this.#io.stdout, { kind: "dry-run", ...run });
  }

  opened(node: string, line: string): void {
    const none = { elapsed: 0, gone: [], forced: [], left: [] };
    const body = { ending: "opened", exitCode: exitCodes.done, line, ...none } as const;
    printJson(this.#io.stdout, { kind: "drain-end", node, ...body });
  }

  evacuated(end: EvacuationEnd): void {
    printJson(this.#io.stdout, end);
  }

  close(): void {
    // It does nothing by itself.
  }
}
