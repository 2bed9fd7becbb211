/** What a policy refuses, to everybody. */
export interface Refused {
  /** The name of the policy. */
  readonly name: string;
  readonly message: string;
  /** The requests, as `matchConstraints` of a policy select them. */
  readonly match: object;
}

/** A policy that refuses some requests, and its binding. */
export function refusal({ name, message, match }: Refused): readonly [object, object] {
  const common = { apiVersion: "admissionregistration.k8s.io/v1", metadata: { name } };
  return [
    {
      ...common,
      kind: "ValidatingAdmissionPolicy",
      spec: { matchConstraints: match, validations: [{ expression: "false", message }] },
    },
    {
      ...common,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: name, validationActions: ["Deny"] },
    },
  ];
}
