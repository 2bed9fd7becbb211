import { tryReadEntry } from "../journal/entry-schema.ts";
import type { Happening, HappeningListener, WorldEntry } from "../journal/happening.ts";
import { codeIn } from "../lambda/base/fault.ts";
import { tryJson } from "../lambda/base/try-json.ts";
import { functionError, type LogLine } from "./lambda/invocation.ts";
import type { Cancel, Timeline } from "./timeline.ts";

/** Everything that happened in a sandbox, in the order in which the log learned of it. */
export class EventLog {
  readonly #timeline: Timeline;
  readonly #happenings: Happening[] = [];
  readonly #listeners = new Set<HappeningListener>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get happenings(): readonly Happening[] {
    return this.#happenings;
  }

  onHappening(listener: HappeningListener): Cancel {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Records what happened in the world. */
  tell(entry: WorldEntry): void {
    this.#add({ ...entry, at: this.#timeline.now(), source: "world" });
  }

  /**
   * Records what the function wrote. The log skips the lines that Lambda itself writes, because
   * the sandbox learns their facts in other ways.
   */
  hear({ source, text }: LogLine): void {
    if (source === "platform") return;
    const entry = tryReadEntry(text);
    if (entry === undefined) this.tell({ kind: "output", text, code: faultIn(text) });
    else this.#add({ ...entry, source: "function" });
  }

  #add(happening: Happening): void {
    this.#happenings.push(happening);
    for (const listener of this.#listeners) listener(happening);
  }
}

/** The code of a fault that Lambda's runtime logs once more, as JSON behind words of its own. */
const faultIn = (text: string): string =>
  codeIn(functionError(tryJson(text.slice(text.indexOf("{")))).errorMessage);
