import type { Site } from "./a-site.ts";

/** The actions of AWS that the somebody of a site asks for from now on; all of them are allowed. */
export function askedActions({ aws }: Site): Set<string> {
  const asked = new Set<string>();
  aws.authorize = ({ principal, action }) => {
    if (principal.includes("/person/")) asked.add(action);
    return "allowed";
  };
  return asked;
}
