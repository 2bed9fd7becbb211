import { beforeAll, describe, expect, it } from "vitest";
import { instant } from "../../lambda/base/time.ts";
import { roleBasedAuthorizer } from "../../sandbox/kubernetes/api/authorizer.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { interview } from "./kube-answers/interview.ts";
import { realAnswers } from "./kube-answers/real-answers.ts";
import { SandboxWitness } from "./kube-answers/sandbox-witness.ts";
import type { Testimony } from "./kube-answers/testimony.ts";

describe("the sandbox's API server answers as a real one of v1.36.2 did:", () => {
  let answers: Readonly<Record<string, Testimony>>;

  beforeAll(async () => {
    const timeline = new VirtualTimeline(instant(Date.UTC(2026, 10, 21, 12)));
    const cluster = new SandboxCluster(timeline, {
      authenticator: async (token) =>
        token === "admin" ? { username: "admin", groups: ["system:masters"] } : undefined,
      authorizer: roleBasedAuthorizer([]),
    });
    for (const [name, zone] of [
      ["node-1", "a"],
      ["node-2", "b"],
      ["node-3", "c"],
    ] as const) {
      cluster.addNode({
        name,
        providerID: `aws:///eu-west-1${zone}/i-0000000000000000${name.at(-1)}`,
      });
    }
    answers = await interview(new SandboxWitness(cluster, timeline));
  });

  it("to every recorded request", () => {
    expect(Object.keys(answers)).toEqual(Object.keys(realAnswers));
  });

  it.each(Object.entries(realAnswers))("%s", (title, answer) => {
    expect(answers[title]).toEqual(answer);
  });
});
