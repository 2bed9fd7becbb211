import { authenticationModes } from "../../../lambda/domain/launch/access.ts";
import { findingsOf, judged, problemIf, type Verdict } from "../finding.ts";
import type { Present } from "../reading.ts";
import type { Check } from "../site.ts";

/** What a cluster says of itself. */
export interface ClusterFacts {
  readonly status?: string | undefined;
  readonly version?: string | undefined;
  readonly accessConfig?: { readonly authenticationMode?: string | undefined } | undefined;
}

// The fences are ValidatingAdmissionPolicies, which Kubernetes has for good since this version.
const leastVersion = { major: 1, minor: 30 };

/** Judges whether a cluster is one that the function can work with. */
export function clusterVerdict(name: string, cluster: Present<ClusterFacts>): Verdict {
  if (cluster === "gone")
    return {
      well: "",
      problems: [
        {
          found: `there is no cluster ${name} in this account and Region`,
          remedy: "name another cluster, or its Region (--region)",
        },
      ],
    };
  const {
    status = "",
    version = "",
    accessConfig: { authenticationMode: mode = "" } = {},
  } = cluster;
  const modes: readonly string[] = authenticationModes;
  return {
    well: `${status}, Kubernetes ${version}, authentication mode ${mode}`,
    problems: [
      ...problemIf(
        !["ACTIVE", "UPDATING"].includes(status),
        `cluster ${name} is ${status}`,
        "wait until EKS says ACTIVE",
      ),
      ...problemIf(
        isOlder(version),
        `cluster ${name} has Kubernetes ${version}, which has no ValidatingAdmissionPolicy`,
        `upgrade it to ${leastVersion.major}.${leastVersion.minor} or newer`,
      ),
      ...problemIf(
        !modes.includes(mode),
        `cluster ${name} has the authentication mode ${mode || "none"}, which the function does not know`,
        `choose one of ${authenticationModes.join(", ")}`,
      ),
    ],
  };
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < leastVersion.major || (major === leastVersion.major && minor < leastVersion.minor);
}

/** Whether EKS knows the cluster, and it is one that the function can work with. */
export const clusterCheck: Check = async ({ name, cluster }) =>
  judged("cluster", cluster, (found) => clusterVerdict(name, found));

/** Whether the stack is there, and says where its parts are. */
export const stackCheck: Check = async ({ parts: { stack, output } }) => {
  const its = output("FunctionName");
  const isAbsent = its.kind === "unknown" && /does not exist/.test(its.why);
  if (!isAbsent) return judged("stack", its, () => ({ well: stack, problems: [] }));
  const found = `there is no stack ${stack} here, and so nothing that answers a hook`;
  const remedy = `deploy it (docs/deploy.md), or ${its.remedy}`;
  return findingsOf("stack", { well: "", problems: [] }).map(({ link }) => ({
    ...{ link, found, remedy },
    state: "absent" as const,
  }));
};
