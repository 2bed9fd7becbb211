import type { Credentials } from "../../sandbox/aws/access-keys.ts";

/** What gives access to AWS or to a cluster, whoever it belongs to. */
const secretForms = [
  /k8s-aws-v1\.[\w-]{20,}/,
  /X-Amz-(?:Credential|Security-Token|Signature)["']?[=:]/i,
  /\bSignature=[\da-f]{16,}/i,
  /\bBearer\s+[\w.~+/-]{16,}/i,
  /\bA[KS]IA[\dA-Z]{16}\b/,
  /PRIVATE KEY-----/,
];

const forms = new WeakMap<Credentials, readonly string[]>();

/** The secrets of a key, each as it is, in a URL and in base64; every line is searched for them. */
function written(key: Credentials): readonly string[] {
  const known = forms.get(key);
  if (known !== undefined) return known;
  const secrets = [key.secretAccessKey, key.sessionToken].filter((secret) => secret !== "");
  const made = secrets.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString("base64url").slice(0, -2),
  ]);
  forms.set(key, made);
  return made;
}

/** What a text says that only the owner of some keys should know. */
export function secretsIn(text: string, keys: readonly Credentials[]): readonly string[] {
  const known = keys.flatMap(written);
  const found = secretForms.flatMap((form) => form.exec(text)?.[0] ?? []);
  return [...found, ...known.filter((secret) => text.includes(secret))];
}
