import { reviewSchema } from "./access-review-schema.ts";
import type { Authorizer } from "./authorizer.ts";
import { answer } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** Answers whether somebody else may do something; `undefined` for any other request. @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/subject-access-review-v1/ */
export function reviewAnswer(
  authorizer: Authorizer,
  request: KubeRequest,
  { group, plural, verb }: RequestInfo,
): KubeResponse | undefined {
  if (`${verb} ${group}/${plural}` !== "create authorization.k8s.io/subjectaccessreviews")
    return undefined;
  const review: unknown = JSON.parse(String(request.body));
  const { user: username, groups, resourceAttributes } = reviewSchema.parse(review).spec;
  const { resource: wanted, ...asked } = resourceAttributes;
  const info = { ...asked, plural: wanted, isResource: true, path: "", resource: undefined };
  const allowed = authorizer({ username, groups }, info);
  return answer(201, { ...Object(review), status: { allowed } });
}
