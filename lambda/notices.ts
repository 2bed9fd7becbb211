import type { DrainOutcome } from "./drain/drain-outcome.ts";
import { drainSubjects, type OwnNotice, type OwnOutcome } from "./drain-subjects.ts";
import { type EventNotice, eventWords } from "./interruption/event-notice.ts";
import type { EventOutcome } from "./interruption/event-outcome.ts";
import { eventReaders } from "./interruption/event-readers.ts";
import type { LaunchOutcome } from "./launch/launch-outcome.ts";
import { type Launching, launchHook, launchWords } from "./launch/launching.ts";
import { terminateHook } from "./notice/hook.ts";
import type { CommonNotice } from "./notice/notice.ts";
import { commonWords, type NoticeWords, type WordsFor } from "./notice/notice-words.ts";
import { noticeReader } from "./notice/read-notice.ts";
import type { Subject } from "./notice/subject.ts";

/** The notices of all subjects. */
export type Notice = CommonNotice | EventNotice | Launching | OwnNotice;

/** The end of the work on any of them. */
export type Outcome = DrainOutcome | EventOutcome | LaunchOutcome | OwnOutcome;

/** Reads a notice of any subject. */
export const readNotice = noticeReader<Notice>({
  hooks: [launchHook, terminateHook],
  events: eventReaders,
  scheduled: drainSubjects.map(({ message }) => message),
});

const words: WordsFor<Notice> = Object.assign(
  { ...commonWords, ...eventWords, ...launchWords },
  ...drainSubjects.map((one) => one.words),
);

const wordsOf = ({ kind }: Notice): NoticeWords<Notice> => words[kind];

/** The content of a notice, in a few words for people. */
export const noticeTitle = (notice: Notice): string => wordsOf(notice).title(notice);

/** The instance and the group that a notice is about; a notice about several instances names none here. */
export const noticeSubject = (notice: Notice): Subject => wordsOf(notice).subject(notice);
