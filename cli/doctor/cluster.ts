import type { Cluster } from "@aws-sdk/client-eks";
import { productVersion } from "../../lambda/base/contract.ts";
import { authenticationModes } from "../../lambda/launch/node-mapping.ts";
import { comparedVersions } from "../compared-versions.ts";
import { type Found, isMissingStack, known, mapped } from "../connect/found.ts";
import { standingOf } from "../connect/stack-state.ts";
import { differing } from "../fleet/said-settings.ts";
import type { Present } from "./reading.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { testedVersions } from "./tested-versions.ts";
import { type LinkVerdict, type Problem, problemIf, wrong } from "./verdict.ts";

// The fences are ValidatingAdmissionPolicies, which are stable since this version.
const leastVersion = "1.30";

/** Judges whether the function can work with a cluster. */
function clusterVerdict(name: string, cluster: Present<Cluster>): LinkVerdict {
  if (cluster === "gone")
    return wrong(
      `there is no cluster ${name} in this account and Region`,
      "name another cluster, or its Region (--region)",
    );
  const { version = "", accessConfig: access } = cluster;
  const mode: string = access?.authenticationMode ?? "";
  const status: string = cluster.status ?? "";
  const modes: readonly string[] = authenticationModes;
  return {
    well: `${status}, Kubernetes ${version}, authentication mode ${mode}`,
    notes: untested(name, version),
    problems: [
      ...problemIf(
        !["ACTIVE", "UPDATING"].includes(status),
        `cluster ${name} is ${status}`,
        "wait until EKS says ACTIVE",
      ),
      ...problemIf(
        comparedVersions(version, leastVersion) < 0,
        `cluster ${name} has Kubernetes ${version}, which has no ValidatingAdmissionPolicy`,
        `upgrade it to ${leastVersion} or newer`,
      ),
      ...problemIf(
        !modes.includes(mode),
        `cluster ${name} has the authentication mode ${mode || "none"}, which the function does not know`,
        `choose one of ${authenticationModes.join(", ")}`,
      ),
    ],
  };
}

/** The note on a version that no test runs on. */
function untested(name: string, version: string): readonly Problem[] {
  const { oldest, newest } = testedVersions;
  const found = `cluster ${name} has Kubernetes ${version}, and this program is tested with ${oldest} to ${newest}`;
  const older =
    comparedVersions(version, leastVersion) >= 0 && comparedVersions(version, oldest) < 0;
  return [
    ...problemIf(
      older,
      found,
      `upgrade it to ${oldest} or newer; until then read docs/deploy.md#versions-of-kubernetes`,
    ),
    ...problemIf(
      comparedVersions(version, newest) > 0,
      found,
      "take a newer version of this program if there is one; if not, look at one drain first: docs/deploy.md#versions-of-kubernetes",
    ),
  ];
}

/** Checks that EKS has the cluster, and that the function can work with it. */
export const clusterCheck: Check<"name" | "cluster"> = async ({ name, cluster }) =>
  mapped(cluster, (found) => clusterVerdict(name, found));

/** Checks that the stack exists, is in a state that somebody meant, and has its outputs. */
export const stackCheck: Check<"name" | "parts" | "settings"> = async (site) => {
  const { stack, state, output } = site.parts;
  if (state.kind === "unknown")
    return isMissingStack(state)
      ? { ...state, why: `there is no stack ${stack} here, and so nothing that answers a hook` }
      : state;
  const { kind, found, remedy } = standingOf(state.value);
  const unsettled = problemIf(kind !== "settled", found, remedy);
  if (kind === "absent") return known({ well: "", problems: unsettled });
  return mapped(output("FunctionName"), () => {
    const { well, problems } = stackVerdict(stack, output("Version"));
    return { well, problems: [...unsettled, ...problems], notes: differences(site) };
  });
};

/** The settings in which the stack differs from its file: not deployed yet, or changed since. */
const differences = ({ name, settings }: Pick<ExaminedSite, "name" | "settings">) =>
  differing(settings).map(({ setting, value, deployed, file }) => ({
    found: `${setting} is ${value} by ${file}, and ${deployed} is deployed`,
    remedy: `deploy it: npx cdk deploy -c cluster=${name}; if that finds no changes, somebody has changed the function by hand: put it right there`,
  }));

/** Judges the version of a stack. This program compares it with what its own version would deploy. */
export function stackVerdict(
  stack: string,
  deployed: Found<string>,
  own = productVersion,
): LinkVerdict {
  if (deployed.kind === "unknown")
    return wrong(
      `stack ${stack} does not say its version, so it is older than this program, ${own}`,
      "deploy it again (docs/deploy.md)",
    );
  const { value: version } = deployed;
  const order = comparedVersions(version, own);
  return {
    well: `${stack}, version ${version}`,
    problems: [
      ...problemIf(
        order < 0,
        `stack ${stack} is of version ${version}, and this program of ${own}: it examines what its own version would deploy`,
        "deploy it again (docs/deploy.md), or take the program of that version",
      ),
      ...problemIf(
        order > 0,
        `stack ${stack} is of version ${version}, and this program of ${own}: it may not know what that version deploys`,
        `take the program of version ${version}`,
      ),
    ],
  };
}
