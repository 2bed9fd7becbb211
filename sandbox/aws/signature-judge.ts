import { type Instant, instant, minutes } from "../../lambda/domain/time.ts";
import type { AccessKey, AccessKeys } from "./access-keys.ts";
import type { Refusal } from "./refusals.ts";
import { type Signable, type Signing, signatureOf } from "./signature.ts";
import { signingDate, tryReadSigningDate } from "./signing-date.ts";

/** A signature, and what it claims to be of. */
export interface SignatureClaim {
  readonly accessKeyId: string;
  /** Empty if the request carries none. */
  readonly securityToken: string;
  readonly request: Signable;
  readonly signing: Signing;
  readonly signature: string;
}

/** What signatures are judged by. */
export interface SignatureJudge {
  readonly keys: AccessKeys;
  readonly now: Instant;
  /** Whether the date of signing must be near; a client cannot know virtual time. */
  readonly dates: "ignored" | "judged";
}

/** Whose signature it is, or why it is nobody's. */
export type Verdict =
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly message: string }
  | { readonly kind: "signed"; readonly key: AccessKey };

const refused = (refusal: Refusal, message: string): Verdict => ({
  kind: "refused",
  refusal,
  message,
});

const unknownKey = refused("unknown-key", "The security token included in the request is invalid.");
const expired = refused("expired-session", "The security token included in the request is expired");
const mismatch = refused(
  "mismatch",
  "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
);

const oldest = minutes(15);
const youngest = minutes(5);

function dateRefusal({ timestamp }: Signing, now: Instant): Verdict | undefined {
  const at = tryReadSigningDate(timestamp);
  if (at === undefined) return mismatch;
  const earliest = instant(now - oldest);
  const latest = instant(now + youngest);
  if (at < earliest) {
    const limit = `${signingDate(earliest)} (${signingDate(now)} - 15 min.)`;
    return refused("mismatch", `Signature expired: ${timestamp} is now earlier than ${limit}`);
  }
  if (at <= latest) return undefined;
  const limit = `${signingDate(latest)} (${signingDate(now)} + 5 min.)`;
  return refused(
    "mismatch",
    `Signature not yet current: ${timestamp} is still later than ${limit}`,
  );
}

const isComplete = ({ scope, timestamp, signedHeaders }: Signing): boolean =>
  timestamp.startsWith(`${scope.date}T`) && signedHeaders.includes("host");

/** Judges whose signature a request carries, as AWS does. */
export function judgeSignature(
  claim: SignatureClaim,
  { keys, now, dates }: SignatureJudge,
): Verdict {
  const { request, signing, signature } = claim;
  const key = keys.find(claim.accessKeyId);
  if (key === undefined || key.sessionToken !== claim.securityToken) return unknownKey;
  if (key.expires !== "never" && now >= key.expires) return expired;
  if (!isComplete(signing)) return mismatch;
  if (signatureOf(request, signing, key.secretAccessKey) !== signature) return mismatch;
  const stale = dates === "judged" ? dateRefusal(signing, now) : undefined;
  return stale ?? { kind: "signed", key };
}
