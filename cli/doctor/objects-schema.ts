import * as z from "zod/mini";

const text = z._default(z.string(), "");
const list = z._default(z.array(z.unknown()), []);

/** True if a part of a binding's resources narrows it beyond the defaults of the API server. */
const isNarrowing =
  (resources: Readonly<Record<string, unknown>>) =>
  (key: string): boolean =>
    key !== "matchPolicy" && JSON.stringify(resources[key]) !== "{}";

/**
 * The parts of a policy besides its object, which have to be equal: each of them narrows what the
 * policy judges.
 */
const exactly = (given: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(given)
    .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
    .toSorted();

const specSchema = z.pipe(
  z.object({
    failurePolicy: z._default(z.string(), "Fail"),
    matchConstraints: z._default(z.object({ resourceRules: list }), { resourceRules: [] }),
    matchConditions: list,
    variables: list,
    validations: list,
    matchResources: z._default(z.looseObject({}), {}),
    paramKind: z._default(z.looseObject({}), {}),
    paramRef: z._default(z.looseObject({}), {}),
    policyName: text,
    validationActions: z._default(z.array(z.string()), []),
  }),
  z.transform(({ matchResources, paramKind, paramRef, ...spec }) => {
    const { failurePolicy, policyName, validationActions, ...rules } = spec;
    // A list, because everything in it narrows the binding, so it has to be equal.
    const narrowed = Object.keys(matchResources).filter(isNarrowing(matchResources));
    const params = [exactly(paramKind), exactly(paramRef)];
    return { failurePolicy, policyName, validationActions, rules: { ...rules, narrowed, params } };
  }),
);

const metadataSchema = z.object({ annotations: z._default(z.record(z.string(), z.string()), {}) });

const objectSchema = z.object({
  metadata: z._default(metadataSchema, { annotations: {} }),
  data: z._default(z.object({ mapRoles: text }), { mapRoles: "" }),
  spec: z._default(specSchema, specSchema.parse({})),
});

/** The parts of an object that are judged: those of `aws-auth` and of fences, and who has applied it. */
export type ObjectRead = z.infer<typeof objectSchema>;

/** Reads an object of the API server or of a manifest. */
export const readObjectOf = (object: unknown): ObjectRead => objectSchema.parse(object);

export const readObjectText = (body: string): ObjectRead => readObjectOf(JSON.parse(body));

const reviewSchema = z.object({ status: z.object({ allowed: z._default(z.boolean(), false) }) });

/** True if a SubjectAccessReview allows the request. */
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

export const readRules = (role: unknown) => rulesSchema.parse(role).rules;

const bindingSchema = z.object({
  roleRef: z.object({ kind: z.string(), name: z.string() }),
  subjects: z.array(z.object({ name: z.string() })),
});

/** Reads the role and the subjects of a binding. */
export const readBinding = (binding: unknown) => bindingSchema.parse(binding);
