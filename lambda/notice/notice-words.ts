import type { LifecycleAction } from "./lifecycle-action.ts";
import type { AnyNotice, CommonNotice } from "./notice.ts";
import type { Subject } from "./subject.ts";

/** The words for a notice, and the subject of its lines in the log. */
export interface NoticeWords<N extends AnyNotice> {
  /** The content of a notice, in a few words for people. */
  title(notice: N): string;
  /** The instance and the group of a notice; no instance if it is about several. */
  subject(notice: N): Subject;
}

/** The words for each kind of notice in `N`. */
export type WordsFor<N extends AnyNotice> = {
  readonly [K in N["kind"]]: NoticeWords<Extract<N, { readonly kind: K }>>;
};

/** The words for a notice of an instance that a hook holds. */
export const heldWords: NoticeWords<AnyNotice & { readonly action: LifecycleAction }> = {
  title: ({ kind, action }) => `${kind} ${action.instance} of ${action.group}`,
  subject({ action: { instance, group, token } }) {
    return token === "unsaid" ? { instance, group } : { instance, group, token };
  },
};

export const commonWords: WordsFor<CommonNotice> = {
  terminating: heldWords,
  test: { title: ({ group }) => `test of ${group}`, subject: ({ group }) => ({ group }) },
  unrelated: { title: ({ reason }) => `unrelated: ${reason}`, subject: () => ({}) },
};
