import type { Happening } from "../../journal/happening.ts";
import type { Tone } from "../../journal/tone.ts";
import { between, type Instant, minutes } from "../../lambda/base/time.ts";
import { limited } from "../../lambda/drain/hold-reason.ts";
import type { EvacuationEnd } from "../evacuate/evacuation-schema.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type Beginning, LiveProgress } from "../progress/live-progress.ts";
import type { DrainReport, DryRun } from "./drain-report.ts";
import type { DrainStory, DrainVerdict } from "./drain-verdict.ts";

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
    else this.#progress.screen.complain(line);
  }

  #say(tone: Tone, text: string): void {
    this.#progress.screen.say(text, tone);
  }

  /** Where no status is drawn anew, the reasons of the pods that are left come every minute. */
  #tellReasons({ at, left }: Extract<Happening, { readonly kind: "pass-ended" }>): void {
    if (this.#progress.screen.isLive || this.#reasonsTold === "never") return;
    if (between(this.#reasonsTold, at) < minutes(1)) return;
    this.#reasonsTold = at;
    for (const detail of left) this.#progress.write(at, { tone: "faint", verb: "waiting", detail });
  }
}
