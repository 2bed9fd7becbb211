import { describe, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { savedEvents } from "../../saved-events.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

/** What becomes of a saved event, by its name. */
function outcomeOf(name: string): readonly [kind: string, exitCode: number] {
  if (name.includes("test-notification")) return ["tested", 0];
  if (/(launch|terminate)(-successful|-unsuccessful)/.test(name)) return ["ignored", 3];
  if (/asg-terminate|demo-ng-terminate/.test(name)) return ["drained", 0];
  if (name.includes("launch-into-warm-pool")) return ["registered", 0];
  if (/asg-launch|demo-ng-launch/.test(name)) return ["joined", 0];
  return ["ignored", 3];
}

// These tests spend most of their time waiting.
describe("a replay that adopts", { concurrent: true }, () => {
  it.for(savedEvents)("ends as the kind of the event asks: %s", async (name, { expect }) => {
    const io = capturedIo();
    const [kind, exitCode] = outcomeOf(name);

    const code = await main(["replay", `events/${name}.json`, "--adopt", "--json"], io);

    expect(jsonLines(io).at(-1)).toMatchObject({ exitCode, outcomes: [{ kind }] });
    expect(code).toBe(exitCode);
  });
});
