// @ts-nocheck
declare const brand: unique symbol;

export type PodUid = string & { readonly [brand]: "PodUid" };

export const podUid = (text: string): PodUid => text as PodUid;
