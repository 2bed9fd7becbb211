import type { Identity } from "./canonical-arn.ts";

/** A text with every placeholder filled in, or why it cannot be. */
export type Rendered =
  | { readonly kind: "failed"; readonly reason: string }
  | { readonly kind: "text"; readonly text: string };

/** Returns the private DNS name of an instance; undefined if there is no such instance. */
export type PrivateDnsName = (instanceId: string) => string | undefined;

const instanceForm = /^i-(\w{8}|\w{17})$/;
const dnsPlaceholder = "{{EC2PrivateDNSName}}";

/**
 * Fills in the placeholders of a username or group.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/server/server.go
 */
export function render(template: string, identity: Identity, dnsName: PrivateDnsName): Rendered {
  const { sessionName, accountId, accessKeyId } = identity;
  let text = template;
  if (template.includes(dnsPlaceholder)) {
    if (!instanceForm.test(sessionName))
      return { kind: "failed", reason: "SessionName did not contain an instance id" };
    const name = dnsName(sessionName);
    if (name === undefined || name === "")
      return {
        kind: "failed",
        reason: `failed querying private DNS from EC2 API for node ${sessionName}`,
      };
    text = text.replaceAll(dnsPlaceholder, name);
  }
  text = text
    .replaceAll("{{AccountID}}", accountId)
    .replaceAll("{{SessionName}}", sessionName.replaceAll("@", "-"))
    .replaceAll("{{SessionNameRaw}}", sessionName)
    .replaceAll("{{AccessKeyID}}", accessKeyId);
  return { kind: "text", text };
}
