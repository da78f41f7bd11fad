/** What the ledger can say of a fire: it was carried out; it was left out for a reason; it should have been carried out. */
export const recordedOutcomes = ['ran', 'skipped', 'missed'] as const
export type RecordedOutcome = (typeof recordedOutcomes)[number]

/** Why a fire did not run: the name that clients see in `reason`, which outcome that is, and its sentence. */
export const fireReasons = {
  PAUSED: { outcome: 'skipped', message: 'The agent was paused.' },
  OVERLAP: { outcome: 'skipped', message: 'The agent still had an unfinished run.' },
  NO_CREDITS: { outcome: 'skipped', message: 'The credit balance of the owner was used up.' },
  LATE: { outcome: 'missed', message: 'The platform could act on it only when it was too late to be carried out.' },
  NOT_FIRED: { outcome: 'missed', message: 'The platform was away, or could not act on it in time.' },
  CHANGED: {
    outcome: 'missed',
    message: 'The schedule was changed, and has no such fire any more, before it could be carried out.',
  },
} as const satisfies Record<string, { outcome: RecordedOutcome; message: string }>

export type FireReason = keyof typeof fireReasons
