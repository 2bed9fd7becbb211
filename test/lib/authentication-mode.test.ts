import { App, Stack } from "aws-cdk-lib";
import { Match } from "aws-cdk-lib/assertions";
import * as eks from "aws-cdk-lib/aws-eks";
import * as eksV2 from "aws-cdk-lib/aws-eks-v2";
import { Code, LayerVersion } from "aws-cdk-lib/aws-lambda";
import { describe, expect, it } from "vitest";
import type { AuthenticationMode } from "../../lambda/launch/node-mapping.ts";
import type { ClusterPlace } from "../../lib/cluster-place.ts";
import { authenticationModeOf } from "../../lib/complete-props.ts";
import { ownStack } from "./own-stack.ts";

const stack = () => new Stack(new App(), "Clusters");

function made(authenticationMode?: eks.AuthenticationMode, scope = stack()): eks.Cluster {
  const kubectlLayer = new LayerVersion(scope, "Kubectl", { code: Code.fromAsset("clusters") });
  return new eks.Cluster(scope, "Made", {
    version: eks.KubernetesVersion.V1_32,
    kubectlLayer,
    ...(authenticationMode && { authenticationMode }),
  });
}

const madeByV2 = () =>
  new eksV2.Cluster(stack(), "Made", { version: eksV2.KubernetesVersion.V1_32 });

const imported = () => eks.Cluster.fromClusterAttributes(stack(), "It", { clusterName: "demo" });

describe("the authentication mode", () => {
  it.each<[string, () => ClusterPlace, AuthenticationMode]>([
    ["that was chosen", () => made(eks.AuthenticationMode.API), "API"],
    ["of both kinds", () => made(eks.AuthenticationMode.API_AND_CONFIG_MAP), "API_AND_CONFIG_MAP"],
    ["that EKS takes when none was chosen", () => made(), "CONFIG_MAP"],
    ["of the newer construct", madeByV2, "API"],
  ])("is read from a cluster that CDK makes: the one %s", (_, cluster, mode) => {
    expect(authenticationModeOf(cluster(), undefined)).toBe(mode);
    expect(authenticationModeOf(cluster(), mode)).toBe(mode);
  });

  it.each<[string, () => ClusterPlace, AuthenticationMode]>([
    ["CONFIG_MAP", () => made(), "API"],
    ["API", () => made(eks.AuthenticationMode.API), "CONFIG_MAP"],
    ["API", madeByV2, "API_AND_CONFIG_MAP"],
  ])("is refused if the cluster that CDK makes has another: %s", (known, cluster, given) => {
    expect(() => authenticationModeOf(cluster(), given)).toThrow(
      `has the authentication mode "${known}", not "${given}"; leaving authenticationMode out will do`,
    );
  });

  it("has to be given for a cluster that CDK imports", () => {
    expect(authenticationModeOf(imported(), "API")).toBe("API");
    expect(() => authenticationModeOf(imported(), undefined)).toThrow(
      'CDK does not know the authentication mode of the cluster demo; authenticationMode: "API" or "API_AND_CONFIG_MAP" or "CONFIG_MAP" will do',
    );
  });

  it("is refused if there is none of that name", () => {
    // @ts-expect-error: nothing refuses it in JavaScript.
    expect(() => authenticationModeOf(imported(), "CONFIGMAP")).toThrow(
      'there is no authentication mode "CONFIGMAP"; "API" or',
    );
  });

  it("decides how the function gets into the cluster, from a cluster of CDK as it is", () => {
    const props = (own: Stack) => ({
      cluster: made(undefined, own),
      authenticationMode: undefined,
    });
    const { template } = ownStack(props);
    template.resourceCountIs("AWS::EKS::AccessEntry", 0);
    template.hasOutput("*", { Value: { "Fn::Join": ["", Match.arrayWith(["- rolearn: "])] } });
  });

  it("is nothing to leave out for a cluster whose mode nobody says", () => {
    expect(() => ownStack(() => ({ authenticationMode: undefined }))).toThrow(
      "CDK does not know the authentication mode of the cluster own",
    );
  });
});
