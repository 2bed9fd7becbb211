/** Who sends a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Tells who holds a bearer token; `undefined` refuses it. */
export type Authenticator = (token: string) => Promise<UserInfo | undefined>;

/** Whoever sends no token. */
export const anonymous: UserInfo = {
  username: "system:anonymous",
  groups: ["system:unauthenticated"],
};

/** The token of a request, if it has one. */
export const bearerToken = (authorization: string | undefined): string | undefined =>
  /^Bearer\s+(\S+)$/i.exec(authorization ?? "")?.[1];

/** Takes every token for that of the cluster's administrator. */
export const everybodyIsAdmin: Authenticator = async () => ({
  username: "kubernetes-admin",
  groups: ["system:masters"],
});
