/** The user who sends a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Finds the user of a bearer token; `undefined` refuses the token. */
export type Authenticator = (token: string) => Promise<UserInfo | undefined>;

/** The user of a request without a token. */
export const anonymous: UserInfo = {
  username: "system:anonymous",
  groups: ["system:unauthenticated"],
};

/** The token of a request, if it has one. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];

/** Accepts every token as that of the cluster's administrator. */
export const everybodyIsAdmin: Authenticator = async () => ({
  username: "kubernetes-admin",
  groups: ["system:masters"],
});
