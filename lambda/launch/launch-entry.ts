import type { InstanceId } from "../base/ids.ts";
import type { Platform } from "../group/ec2-instance.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import type { Registration } from "./node-mapping.ts";

/** The journal's entries about a launch. */
export type LaunchEntry =
  | PassEntry
  | {
      readonly kind: "role-registered";
      readonly role: string;
      readonly platform: Platform;
      readonly access: Registration;
    }
  | { readonly kind: "node-awaited"; readonly instance: InstanceId; readonly reason: string };
