import * as z from "zod";

/** The parts of a review that the admission webhooks here read. */
export const admissionReviewSchema = z.object({
  request: z.object({
    uid: z.string(),
    name: z.string(),
    resource: z.object({ resource: z.string() }),
    userInfo: z.object({ groups: z.array(z.string()).default([]) }),
    object: z.object({
      metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
    }),
  }),
});

/** A request that an admission webhook judges. */
export type AdmissionRequest = z.infer<typeof admissionReviewSchema>["request"];

/** A review of which all is kept. */
export const wholeReviewSchema = z.object({
  request: z.looseObject({ uid: z.string(), namespace: z.string().default("") }),
});
