import type { Session } from '../sessions/session.ts'
import type { Database, Transaction } from '../database/database.ts'
import { usableModel } from '../loop/after-failure.ts'
import type { Question } from '../loop/ask.ts'
import type { Cuts } from '../loop/fit.ts'
import type { Spoken } from '../loop/live-words.ts'
import type { Outages } from '../outages/outages.ts'
import type { ChatAnswer } from './chat-answer.ts'
import type { Written } from './writer.ts'

/** Whether the words of an answer are for readers in other processes, too: they are from some time on, or never. */
export interface Passing {
  isPassed: boolean
}

/** The words of an answer as they arrive, before they are part of the record. */
export type AnswerSpoken = Spoken & { sessionId: string; passing: Passing }

/** What a step is asked with. */
export interface Asking {
  session: Session
  answer: ChatAnswer
  written: Written
  passing: Passing
  /** Takes the words as they come. */
  onWords: (text: string) => void | Promise<void>
  signal: AbortSignal
}

/** One of the attempts at a step: another one asks another model, or does without a summary. */
export interface Attempt extends Asking {
  /** Whether the model may be asked for a summary. */
  summarizes: boolean
  /** What the attempts have said so far, and whether the last one was asked for a summary. */
  progress: { said: string; isSummary: boolean }
}

/** The model that may be asked instead of the answer's; undefined if there is none, or if it is out. */
export const otherModelOf = (
  outages: Pick<Outages, 'of'>,
  db: Database | Transaction,
  { session: { fallbackModel }, answer }: Pick<Asking, 'session' | 'answer'>,
): Promise<string | undefined> => usableModel(outages, db, fallbackModel === answer.model ? null : fallbackModel)

/** The next question of an answer, with how far its prompt is cut. */
export type AnswerQuestion = Question & { cuts: Cuts }
