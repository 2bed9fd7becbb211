import type { Authorizer } from "./authorizer.ts";
import { answer } from "./call.ts";
import type { KubeRequest, KubeResponse } from "./exchange.ts";
import type { RequestInfo } from "./request-info.ts";

/** The question of a SubjectAccessReview. */
interface Review {
  readonly spec: {
    readonly user?: string;
    readonly groups?: readonly string[];
    readonly resourceAttributes: Partial<Info> & { readonly resource?: string };
  };
}

type Info = Pick<RequestInfo, "group" | "name" | "namespace" | "subresource" | "verb">;

const nobodys = {
  verb: "",
  group: "",
  subresource: "",
  namespace: "",
  name: "",
  isResource: true,
  path: "",
  resource: undefined,
};

/** Answers whether somebody else may do something; `undefined` for any other request. @see https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/subject-access-review-v1/ */
export function reviewAnswer(
  authorizer: Authorizer,
  request: KubeRequest,
  { group, plural, verb }: RequestInfo,
): KubeResponse | undefined {
  if (`${verb} ${group}/${plural}` !== "create authorization.k8s.io/subjectaccessreviews")
    return undefined;
  const review = JSON.parse(String(request.body)) as Review;
  const { user: username = "", groups = [], resourceAttributes } = review.spec;
  const { resource: wanted = "", ...asked } = resourceAttributes;
  const info = { ...nobodys, ...asked, plural: wanted };
  return answer(201, { ...review, status: { allowed: authorizer({ username, groups }, info) } });
}
