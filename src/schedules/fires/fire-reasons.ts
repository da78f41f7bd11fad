/** The outcomes of a fire: ran, skipped for a reason, or missed although it was due. */
export const recordedOutcomes = ['ran', 'skipped', 'missed'] as const
export type RecordedOutcome = (typeof recordedOutcomes)[number]

/** Why a fire did not run: the name in `reason`, its outcome, and its sentence. */
export const fireReasons = {
  PAUSED: { outcome: 'skipped', message: 'The agent was paused.' },
  OVERLAP: { outcome: 'skipped', message: 'The agent still had an unfinished run.' },
  NO_CREDITS: { outcome: 'skipped', message: 'The owner had no credits left.' },
  NO_TIER: {
    outcome: 'skipped',
    message: "The owner's tier no longer included workspaces, or the account was scheduled for deletion.",
  },
  NO_ROOM: {
    outcome: 'skipped',
    message: 'The account had reached its storage limit for payloads and tool results.',
  },
  LATE: { outcome: 'missed', message: 'The platform did not start the run in time.' },
  NOT_FIRED: { outcome: 'missed', message: 'The platform was down or too busy to start the run in time.' },
  RESTORED: {
    outcome: 'missed',
    message:
      'The database was restored from a backup later than this time. The run may have started before that, so it was not started again.',
  },
  CHANGED: {
    outcome: 'missed',
    message: 'The schedule was changed before the run could start, and no longer includes this time.',
  },
} as const satisfies Record<string, { outcome: RecordedOutcome; message: string }>

export type FireReason = keyof typeof fireReasons
