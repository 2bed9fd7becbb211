import type { AccessKey } from "./access-keys.ts";
import type { Aws } from "./aws.ts";
import type { CallPermission } from "./operation.ts";
import { refuse } from "./refusals.ts";
import { judgeSignature, type SignatureClaim, type SignatureTrust } from "./signature-judge.ts";
import type { ServiceApi } from "./wire.ts";

/** How strict the gate is. */
export interface GateSettings {
  readonly signatures: SignatureTrust;
}

/** Lets a call through only if its signature is valid and its caller has permission. */
export class Gate {
  readonly #aws: Aws;
  readonly #settings: GateSettings;

  constructor(aws: Aws, settings: GateSettings) {
    this.#aws = aws;
    this.#settings = settings;
  }

  /** Returns the key that signed a request, or refuses the request in the words of the service. */
  async identify(
    { signingName, codes }: ServiceApi,
    claim: SignatureClaim | undefined,
  ): Promise<AccessKey> {
    if (claim === undefined)
      throw refuse(codes, "unknown-key", "Request is missing Authentication Token");
    const { keys, timeline, account } = this.#aws;
    const verdict = await judgeSignature(claim, { keys, now: timeline.now(), ...this.#settings });
    if (verdict.kind === "refused") throw refuse(codes, verdict.refusal, verdict.message);
    const { service, region } = claim.scope;
    const scoped = (to: string) => `Credential should be scoped to ${to}.`;
    if (service !== signingName)
      throw refuse(codes, "mismatch", scoped(`correct service: '${signingName}'`));
    if (service !== "iam" && region !== account.region)
      throw refuse(codes, "mismatch", scoped(`a valid region, not '${region}'`));
    return verdict.key;
  }

  /** Refuses a caller that lacks any of the permissions a call needs. */
  permit(api: ServiceApi, permissions: readonly CallPermission[], principal: string): void {
    for (const permission of permissions) {
      if (this.#aws.authorize({ principal, ...permission }) === "allowed") continue;
      const { action, resource } = permission;
      const said = api.signingName === "sqs" ? action.toLowerCase() : action; // SQS: lower case
      const reason = `because no identity-based policy allows the ${said} action`;
      const message = `User: ${principal} is not authorized to perform: ${said} on resource: ${resource} ${reason}`;
      throw refuse(api.codes, "denied", message);
    }
  }
}
