import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { interview } from "../sandbox/kube-answers/interview.ts";
import { realAnswers } from "../sandbox/kube-answers/real-answers.ts";
import { RealWitness } from "../sandbox/kube-answers/real-witness.ts";
import type { Testimony } from "../sandbox/kube-answers/testimony.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const zones = ["a", "b", "c"];

/**
 * The tests compare the sandbox with recorded answers; this one checks that a real API server still
 * gives them.
 */
describe("a real control plane still answers as it did:", () => {
  let controlPlane: ControlPlane;
  let answers: Readonly<Record<string, Testimony>>;

  beforeAll(async () => {
    controlPlane = await startControlPlane({
      nodes: zones.map((zone, index) => ({
        name: `node-${index + 1}`,
        instanceId: `i-0000000000000000${index + 1}`,
        zone: `eu-west-1${zone}`,
      })),
    });
    answers = await interview(new RealWitness(controlPlane.folder));
  }, 300_000);
  afterAll(() => controlPlane.stop());

  it("to every recorded request", () => {
    expect(Object.keys(answers)).toEqual(Object.keys(realAnswers));
  });

  it.each(Object.entries(realAnswers))("%s", (title, answer) => {
    expect(answers[title]).toEqual(answer);
  });
});
