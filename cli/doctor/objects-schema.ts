import * as z from "zod/mini";

const text = z._default(z.string(), "");
const list = z._default(z.array(z.unknown()), []);

/** Whether a part of a binding's resources says more than the defaults of the API server. */
const isNarrowing =
  (resources: Readonly<Record<string, unknown>>) =>
  (key: string): boolean =>
    key !== "matchPolicy" && JSON.stringify(resources[key]) !== "{}";

const specSchema = z.pipe(
  z.object({
    failurePolicy: z._default(z.string(), "Fail"),
    matchConstraints: z._default(z.object({ resourceRules: list }), { resourceRules: [] }),
    matchConditions: list,
    variables: list,
    validations: list,
    matchResources: z._default(z.looseObject({}), {}),
    policyName: text,
    validationActions: z._default(z.array(z.string()), []),
  }),
  z.transform(({ failurePolicy, policyName, validationActions, matchResources, ...rules }) => ({
    ...{ failurePolicy, policyName, validationActions },
    // As a list, which has to be the same: whatever it has makes a binding narrower.
    rules: { ...rules, narrowed: Object.keys(matchResources).filter(isNarrowing(matchResources)) },
  })),
);

const metadataSchema = z.object({ annotations: z._default(z.record(z.string(), z.string()), {}) });

const objectSchema = z.object({
  metadata: z._default(metadataSchema, { annotations: {} }),
  data: z._default(z.object({ mapRoles: text }), { mapRoles: "" }),
  spec: z._default(specSchema, specSchema.parse({})),
});

/** The parts of an object that are judged: those of `aws-auth`, and those of fences, with who has applied it. */
export type ObjectRead = z.infer<typeof objectSchema>;

/** Reads an object as the API server, or a manifest, has it. */
export const readObjectOf = (object: unknown): ObjectRead => objectSchema.parse(object);

/** Reads the text of an object. */
export const readObjectText = (body: string): ObjectRead => readObjectOf(JSON.parse(body));

const reviewSchema = z.object({ status: z.object({ allowed: z._default(z.boolean(), false) }) });

/** Whether a SubjectAccessReview allows what it asks for. */
export const readReview = (body: string): boolean =>
  reviewSchema.parse(JSON.parse(body)).status.allowed;

const rulesSchema = z.object({
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      resourceNames: z._default(z.array(z.string()), [""]),
      verbs: z.array(z.string()),
    }),
  ),
});

/** Reads the rules of a role. */
export const readRules = (role: unknown) => rulesSchema.parse(role).rules;

const bindingSchema = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ name: z.string() })),
});

/** Reads to whom a binding gives which role. */
export const readBinding = (binding: unknown) => bindingSchema.parse(binding);
