import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";

const { PLAYED_VERSION: played = "1.36" } = process.env;
// https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
const streams = !["1.33", "watch-list-off"].includes(played);
const emulated = played === "watch-list-off" ? "1.36" : played;

describe(`the control plane that plays ${played}`, () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes: [] });
  });
  afterAll(async () => controlPlane.stop());

  it(`has the APIs of Kubernetes ${emulated}`, async () => {
    const version: unknown = JSON.parse(await controlPlane.kubectlText("get", "--raw", "/version"));
    const [emulationMajor, emulationMinor] = emulated.split(".");
    expect(version).toMatchObject({ emulationMajor, emulationMinor });
  });

  it(`${streams ? "streams" : "refuses to stream"} the list that a watch begins with`, async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&timeoutSeconds=1";
    const streamed = await controlPlane
      .kubectlText("get", "--raw", `/api/v1/namespaces?${query}&allowWatchBookmarks=true`)
      .catch(String);
    if (streams) expect(streamed).toContain('"k8s.io/initial-events-end":"true"');
    else
      expect(streamed).toMatch(
        /sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled/,
      );
  });
});
