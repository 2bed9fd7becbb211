import type { Pod } from "./pod.ts";

/** What a look at one pod came to; `gone` also when another has taken its name, or it is on another node. */
export type Sighting =
  | { readonly kind: "there"; readonly pod: Pod }
  | { readonly kind: "gone" }
  | { readonly kind: "unclear"; readonly message: string; readonly retryAfter: "unsaid" };
