import { type App, Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { NodeLifecycle } from "../../../lib/node-lifecycle.ts";
import { named, ownStack, type Place } from "../own-stack.ts";

const rest = { authenticationMode: "API", groups: ["others"], ...named } as const;

/** An app that already has one construct, and now gets another. */
const withAnother = (other: (stack: Stack, place: Place) => void): App =>
  ownStack((stack, place) => {
    other(stack, place);
    return {};
  }).app;

describe("a second construct in an app", () => {
  it("is refused for the same cluster, with advice", () => {
    expect(() =>
      withAnother((stack, place) => new NodeLifecycle(stack, "Other", { ...place, ...rest })),
    ).toThrow(
      "Own/Other and Own/Lifecycle are both for the cluster own; one with all groups will do",
    );
  });

  it("is accepted for another cluster", () => {
    expect(() =>
      withAnother((stack, { cluster }) => {
        const other = { ...cluster, clusterName: "other" };
        new NodeLifecycle(stack, "Other", { cluster: other, ...rest });
      }),
    ).not.toThrow();
  });

  it("is accepted for a cluster of the same name elsewhere", () => {
    const elsewhere = { region: "eu-central-1", account: "123456789012" };
    expect(() =>
      withAnother(({ node }, place) => {
        const stack = new Stack(node.root, "Elsewhere", { env: elsewhere });
        new NodeLifecycle(stack, "Lifecycle", { ...place, ...rest });
      }),
    ).not.toThrow();
  });
});
