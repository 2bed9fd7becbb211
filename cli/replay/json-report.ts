import { type Happening, ofKind } from "../../journal/happening.ts";
import { between, type Instant, instant } from "../../lambda/base/time.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printHappening, printJson } from "../json/print-json.ts";
import type { ReplayResult } from "./replay-result.ts";
import { forcedIn } from "./replay-words.ts";
import type { Beginning, Report } from "./report.ts";
import type { Verdict } from "./verdict.ts";

/** Reports a replay to a program: one JSON object on each line, with the summary on the last. */
export class JsonReport implements Report {
  readonly #io: Io;
  #from: Instant = instant(0);

  constructor(io: Io) {
    this.#io = io;
  }

  open(): void {
    // Programs are told what happens, and nothing has happened yet.
  }

  begin({ from }: Beginning): void {
    this.#from = from;
  }

  tell(happening: Happening): void {
    printHappening(this.#io.stdout, happening, this.#from);
  }

  end(result: ReplayResult, { exitCode, line }: Verdict): void {
    printJson(this.#io.stdout, {
      kind: "summary",
      exitCode,
      line,
      ending: result.ending,
      elapsed: between(this.#from, result.to) / 1000,
      outcomes: result.outcomes,
      completed: ofKind(result.happenings, "hook-completed").map(({ action, result: how }) => ({
        ...action,
        result: how,
      })),
      gone: ofKind(result.happenings, "pod-gone").map(({ pod }) => pod),
      forced: forcedIn(result),
      left: result.left,
      ...result.whereabouts,
    });
    if (exitCode !== exitCodes.done) this.#io.stderr.writeLine(line);
  }

  close(): void {
    // It does nothing by itself.
  }
}
