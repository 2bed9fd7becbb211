import { tryReadEntry } from "../journal/entry-schema.ts";
import type { Happening, HappeningListener, WorldEntry } from "../journal/happening.ts";
import { codeIn } from "../lambda/base/fault.ts";
import { tryJson } from "../lambda/base/try-json.ts";
import type { AutoScaling } from "./aws/auto-scaling.ts";
import type { ActionRecord } from "./aws/lifecycle-action.ts";
import type { Deployment } from "./deployment.ts";
import { failedMessages } from "./lambda/event-source-mapping.ts";
import { functionError, type InvocationResult, type LogLine } from "./lambda/invocation.ts";
import { watchPods } from "./pod-watch.ts";
import type { World } from "./scenario.ts";
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

/** A lifecycle action that has ended, and how it ended. */
type EndedAction = ActionRecord & {
  readonly end: Extract<ActionRecord["end"], { readonly kind: "ended" }>;
};

const hasEnded = (record: ActionRecord): record is EndedAction => record.end.kind === "ended";

/** Reports every lifecycle action that ends from now on. */
function watchActions(autoScaling: AutoScaling, tell: (ended: EndedAction) => void): void {
  const ended = () => autoScaling.actions().filter(hasEnded);
  const known = new Set(ended().map(({ token }) => token));
  autoScaling.onChange(() => {
    for (const action of ended().filter(({ token }) => !known.has(token))) {
      known.add(action.token);
      tell(action);
    }
  });
}

/** Records in the log what happens in the world. */
export function watchWorld(world: World, { mappings }: Deployment, eventLog: EventLog): void {
  watchPods(world.cluster, (appearance) => eventLog.tell({ kind: "pod-running", ...appearance }));
  watchActions(world.aws.autoScaling, ({ hook, instanceId, token, end: { result, by } }) => {
    eventLog.tell({
      kind: "action-ended",
      hook: hook.name,
      instance: instanceId,
      token,
      result,
      by,
    });
  });
  for (const mapping of mappings)
    mapping.onBatch((batch, result) => {
      const ids = batch.map(({ message }) => message.id);
      eventLog.tell(endOf(result, failedMessages(result, ids, mapping.settings.responses).size));
    });
}

/** Describes how an invocation ended, and how many messages of its batch come back. */
export function endOf(result: InvocationResult, handedBack: number): WorldEntry {
  const kind = "invocation-ended";
  const same = { kind, code: "", handedBack } as const;
  if (result.kind === "ok") return { ...same, how: "answered", error: "" };
  if (result.kind === "throttled") return { ...same, how: "failed", error: "throttled" };
  const { errorType, errorMessage } = result.error;
  const error = `${errorType}: ${errorMessage}`;
  return { ...same, how: "failed", error, code: codeIn(errorMessage) };
}
