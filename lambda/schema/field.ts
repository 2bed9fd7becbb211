import * as z from "zod/mini";
import { actionToken, groupName, hookName, instanceId } from "../domain/ids.ts";
import { tryRoleArn } from "../domain/launch/role-arn.ts";
import { instant } from "../domain/time.ts";

/** A text of a certain form. */
export const text = (expected: string, form: RegExp) =>
  z.string(expected).check(z.regex(form, expected));

/** One of a few texts. */
export const oneOf = <const Texts extends readonly string[]>(...texts: Texts) =>
  z.literal(texts, texts.join(" or "));

/** An object with certain fields; other fields are no error, because AWS adds some now and then. */
export const record = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.object(shape, "an object");

/** The id of an instance. */
export const instanceField = z.pipe(
  text("an instance id such as i-0123456789abcdef0", /^i-(?:[\da-f]{8}|[\da-f]{17})$/),
  z.transform(instanceId),
);

/** The name of an Auto Scaling group. */
export const groupField = z.pipe(
  text("the name of an Auto Scaling group", /^[^\p{Cc}\p{Cs}]{1,255}$/u),
  z.transform(groupName),
);

/** The name of a lifecycle hook. */
export const hookField = z.pipe(
  text("the name of a lifecycle hook", /^[\w/-]{1,255}$/),
  z.transform(hookName),
);

/** The token of a lifecycle action. */
export const tokenField = z.pipe(
  text("a token of 36 characters", /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i),
  z.transform(actionToken),
);

const anyRole = "the ARN of a role such as arn:aws:iam::123456789012:role/nodes";

/** The ARN of a role, whose path is removed. */
export const roleField = z.pipe(
  z.string(anyRole),
  z.transform((arn, { issues }) => {
    const role = tryRoleArn(arn);
    if (role !== undefined) return role;
    issues.push({ code: "custom", message: anyRole, input: arn });
    return z.NEVER;
  }),
);

const isoTime = "a time such as 2026-03-23T03:26:43Z";

/** A time as Auto Scaling and EventBridge write it. */
export const timeField = z.pipe(
  z.string(isoTime).check(z.iso.datetime({ offset: true, error: isoTime })),
  z.transform((time) => instant(Date.parse(time))),
);
