import { readJson } from "../../lambda/kubernetes/send-request.ts";
import { minorOf } from "../../lambda/upgrade/validation.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { type Found, known, unknown } from "../connect/found.ts";
import { readCluster, readOn } from "../doctor/reading.ts";

/** Reads the minor version of a control plane. */
export async function minorAt({ client }: Pick<ClusterAccess, "client">): Promise<Found<number>> {
  const read = await readCluster("get /version", () =>
    client.ask("reading the version of the API server", (connection) =>
      readJson<{ readonly gitVersion?: string }>(connection, "/version"),
    ),
  );
  return readOn(read, async ({ gitVersion = "" }) => {
    const minor = minorOf(gitVersion);
    return minor === undefined
      ? unknown(`the API server has the version "${gitVersion}"`, "look at it yourself")
      : known(minor);
  });
}
