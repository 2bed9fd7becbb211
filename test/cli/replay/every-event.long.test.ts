import { describe, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { savedEvents } from "../../support/saved-events.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

type Ending = readonly [kind: string, exitCode: number];

/** The notice comes back, but not in the time of a replay. */
const rests: Ending = ["nothing yet", 3];
const ignored: Ending = ["ignored", 3];

/** A notice about a Capacity Block becomes one for each instance in it. */
const passesOn = /capacity-block-expiration/;

/** What becomes of saved events: the first row that the name fits. */
const endings: readonly (readonly [names: RegExp, ending: Ending])[] = [
  [
    /spot-interruption|capacity-reservation-interruption|state-change-(?:stopping|shutting-down)/,
    ["drained", 0],
  ],
  [/capacity-block-delivered/, rests],
  [passesOn, ["drained", 0]],
  // The work begins hours or months after each of these.
  [/health.*scheduled/, rests],
  [/rebalance/, ["cordoned", 0]],
  [/state-change-(?:stopped|terminated)/, rests],
  [/test-notification/, ["tested", 0]],
  [/(launch|terminate)(-successful|-unsuccessful)/, ignored],
  [/asg-terminate|demo-ng-terminate/, ["drained", 0]],
  [/launch-into-warm-pool/, ["registered", 0]],
  [/asg-launch|demo-ng-launch/, ["joined", 0]],
];

const endingOf = (name: string): Ending =>
  endings.find(([names]) => names.test(name))?.[1] ?? ignored;

// These tests spend most of their time waiting.
describe("a replay that adopts", { concurrent: true }, () => {
  it.for(savedEvents)("ends as the kind of the event asks: %s", async (name, { expect }) => {
    const io = capturedIo();
    const [kind, exitCode] = endingOf(name);

    const code = await main(["replay", `events/${name}.json`, "--adopt", "--json"], io);

    expect(jsonLines(io).at(-1)).toMatchObject({
      exitCode,
      outcomes: [
        ...(passesOn.test(name) ? [{ kind: "passed-on" }] : []),
        ...(kind === "nothing yet" ? [] : [{ kind }]),
      ],
    });
    expect(code).toBe(exitCode);
  });
});
