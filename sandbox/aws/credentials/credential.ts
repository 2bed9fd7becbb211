/** What a credential is scoped to: `20260323/eu-west-1/sts/aws4_request`. */
export interface Scope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** Which key signed, and the scope of its signature. */
export interface Credential {
  readonly accessKeyId: string;
  readonly scope: Scope;
}

/** Reads `AKID/20260323/eu-west-1/sts/aws4_request`; undefined for a text of another form. */
export function tryReadCredential(text: string): Credential | undefined {
  const [accessKeyId, date, region, service, end, ...rest] = text.split("/");
  if (!(accessKeyId && date && region && service) || end !== "aws4_request") return undefined;
  return rest.length > 0 ? undefined : { accessKeyId, scope: { date, region, service } };
}
