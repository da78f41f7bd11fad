import type { ErrorCode } from '../../../src/errors.ts'

/** What a process is doing for an answer when it dies. */
const phases = [
  'before its turn',
  'before the first word',
  'in mid-word',
  'in a read call',
  'in an idempotent call',
  'in a once call',
  'while an approval waits',
  'in an approved call',
  'between steps',
  'in the write of the last step',
  'in the write of the end',
] as const
export type Phase = (typeof phases)[number]

/** What becomes of an answer of the session whose reader is gone. */
const kinds = ['continue', 'cancel'] as const
export type Kind = (typeof kinds)[number]

/** What dies: an API process beside another one, or one that is started again because there is no other. */
export const deaths = ['one of two API processes', 'the only API process'] as const
export type Death = (typeof deaths)[number]

/** What has become of an answer, as clients, the model, the site and the ledger see it. */
export interface Ending {
  status: 'completed' | 'failed'
  error: ErrorCode | null
  /** What the history has of what was said. */
  words: 'all' | 'none'
  /** How many steps are on record. Each was charged once, and the answer says as much. */
  steps: number
  /** How often the model was asked for the first step, and for the second one. */
  asked: [first: number, second: number]
  /**
   * How often the call came to its site, all times under one key; how the history shows it; and what the model has learned
   * of it, if it was asked again.
   */
  call: { sent: number; shown: 'output-available' | 'output-error'; told: 'succeeded' | 'unknown' | null } | null
  /** What somebody reads who comes back after the death. */
  reader: 'the whole answer' | 'nothing'
}

const done = { sent: 1, shown: 'output-available', told: 'succeeded' } as const
const again = { ...done, sent: 2 } as const
const inDoubt = { sent: 1, shown: 'output-error', told: 'unknown' } as const
const untold = { told: null } as const

const completed = { status: 'completed', error: null, words: 'all', steps: 2, reader: 'the whole answer' } as const
/** Its calls are kept, and its words are not. */
const lost = { status: 'failed', error: 'STREAM_ABORTED', words: 'none', reader: 'nothing' } as const
/** Somebody has approved its call: it goes on without its reader, whatever its session says. */
const approved = {
  'while an approval waits': { ...completed, asked: [1, 1], call: done },
  'in an approved call': { ...completed, asked: [1, 1], call: inDoubt },
} satisfies Partial<Record<Phase, Ending>>

/**
 * Each answer has two steps, with one call between them. Whichever process dies, and whoever comes after it, the ending is
 * the same.
 */
export const endings: Record<Kind, Record<Phase, Ending>> = {
  continue: {
    'before its turn': { ...completed, asked: [1, 1], call: done },
    'before the first word': { ...completed, asked: [2, 1], call: done },
    'in mid-word': { ...completed, asked: [2, 1], call: done },
    'in a read call': { ...completed, asked: [1, 1], call: again },
    'in an idempotent call': { ...completed, asked: [1, 1], call: again },
    'in a once call': { ...completed, asked: [1, 1], call: inDoubt },
    ...approved,
    'between steps': { ...completed, asked: [1, 2], call: done },
    'in the write of the last step': { ...completed, asked: [1, 2], call: done },
    'in the write of the end': { ...completed, asked: [1, 1], call: done },
  },
  cancel: {
    'before its turn': { ...lost, steps: 0, asked: [0, 0], call: null },
    'before the first word': { ...lost, steps: 0, asked: [1, 0], call: null },
    'in mid-word': { ...lost, steps: 0, asked: [1, 0], call: null },
    'in a read call': { ...lost, steps: 1, asked: [1, 0], call: { ...inDoubt, ...untold } },
    'in an idempotent call': { ...lost, steps: 1, asked: [1, 0], call: { ...inDoubt, ...untold } },
    'in a once call': { ...lost, steps: 1, asked: [1, 0], call: { ...inDoubt, ...untold } },
    ...approved,
    'between steps': { ...lost, steps: 1, asked: [1, 1], call: done },
    'in the write of the last step': { ...lost, steps: 1, asked: [1, 1], call: done },
    'in the write of the end': { ...lost, steps: 2, asked: [1, 1], call: done },
  },
}

/** The effect of the tool that an answer calls. */
export const effectIn = (phase: Phase): 'read' | 'idempotent' | 'once' =>
  phase === 'in a read call' ? 'read' : phase === 'in an idempotent call' ? 'idempotent' : 'once'

export interface Row {
  kind: Kind
  phase: Phase
}

export const rows: Row[] = kinds.flatMap((kind) => phases.map((phase) => ({ kind, phase })))

export const titleOf = ({ kind, phase }: Row): string => `${phase} (${kind})`
