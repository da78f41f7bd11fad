/**
 * What can keep something from running, or be going on instead. The order is that of an answer: first what somebody has
 * to do something about, then what keeps everybody waiting, then what passes by itself.
 */
export const causeCodes = {
  ENDED: 'The run has ended',
  CREDENTIAL: 'A site has to be connected again',
  CREDITS: 'The credits are used up',
  TIER: 'The subscription tier does not include webhooks',
  PAST_DUE: 'The subscription is not paid',
  PAUSED: 'The agent is paused',
  TEMPORAL_AWAY: 'Temporal, which carries out runs, cannot be reached',
  NO_WORKER: 'No worker asks for work',
  RUN_AHEAD: 'Another run of the agent is ahead',
  CANCELLING: 'The run was asked to end and has not yet',
  MODEL_RETRY: 'The model failed and is asked again',
  RATE_LIMIT: 'A site takes no more calls for the time being',
  WAKE_PENDING: 'It may go on, and is about to be told so',
  WORKING: 'The run asks the model, or calls a tool',
  SCHEDULE_NOT_IN_STEP: 'Temporal does not have the present schedule yet',
  SCHEDULE: 'The schedule fires later',
  IDLE: 'There is nothing to do',
} as const satisfies Record<string, string>

export type CauseCode = keyof typeof causeCodes

/** Every code, in the order of an answer. */
export const causeOrder = Object.keys(causeCodes) as [CauseCode, ...CauseCode[]]

/** One reason, in words and in parts; a part is null where it does not apply or is not known. */
export interface Cause {
  code: CauseCode
  since: Date | null
  /** When it is over or looked at again, or, for what waits for its owner, when it will have failed. */
  until: Date | null
  /** What is the case, in one sentence. */
  message: string
  /** What the reader can do, in one sentence. */
  action: string
  /** The run that it is about, and its number. */
  runId: string | null
  sequence: number | null
  step: number | null
  /** The origin of the site that it is about. */
  site: string | null
}

export const whyStates = ['running', 'waiting', 'queued', 'idle', 'ended'] as const
export type WhyState = (typeof whyStates)[number]

/** Why an agent or a run is where it is. */
export interface Why {
  state: WhyState
  /** The state and the most important cause, in one sentence. */
  summary: string
  /** Most important first; never empty. */
  causes: Cause[]
}

type Parts = Pick<Cause, 'code' | 'message' | 'action'> & Partial<Cause>

/** A cause from what is to be said of it. */
export const causeOf = (parts: Parts): Cause => ({
  since: null,
  until: null,
  runId: null,
  sequence: null,
  step: null,
  site: null,
  ...parts,
})

/** A moment as the sentences write it: to the second, in UTC. */
export const moment = (at: Date): string => `${at.toISOString().slice(0, 19)}Z`

/** `, since …`, or nothing where that is not known. */
export const sinceThen = (at: Date | null): string => (at ? ` since ${moment(at)}` : '')

/** A moment so many seconds after another. */
export const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)
