import { type Happening, ofKind } from "../../journal/happening.ts";
import { between, type Instant, instant } from "../../lambda/base/time.ts";
import type { EvacuationEnd } from "../evacuate/evacuation-schema.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { printHappening, printJson } from "../json/print-json.ts";
import type { Beginning } from "../progress/live-progress.ts";
import { forcedIn } from "../replay/replay-words.ts";
import type { DrainReport, DryRun } from "./drain-report.ts";
import type { DrainStory, DrainVerdict } from "./drain-verdict.ts";

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
