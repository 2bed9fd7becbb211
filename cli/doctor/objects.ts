import { sendRequest } from "../../lambda/kubernetes/send-request.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { type ObjectRead, readObjectText, readReview } from "./objects-schema.ts";
import type { Present } from "./reading.ts";

/** Reads an object of the cluster by its path. */
export const readObject = ({ client }: ClusterAccess, path: string): Promise<Present<ObjectRead>> =>
  client.ask(`reading ${path}`, async (connection) => {
    const request = { method: "GET", path, meant: [404] } as const;
    const { status, body } = await sendRequest(connection, request);
    return status === 404 ? "gone" : readObjectText(body);
  });

/** A request of somebody, as the API server authorizes it. */
interface Attempted {
  readonly user: string;
  readonly groups: readonly string[];
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

const reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/** Whether the API server lets somebody do something. */
export const mayDo = ({ client }: ClusterAccess, spec: Attempted): Promise<boolean> =>
  client.ask("asking what the function may do", async (connection) => {
    const body = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const request = { method: "POST", path: reviews, body } as const;
    return readReview((await sendRequest(connection, request)).body);
  });
