/** The outcomes of a fire: carried out, skipped for a reason, or missed although it was due. */
export const recordedOutcomes = ['ran', 'skipped', 'missed'] as const
export type RecordedOutcome = (typeof recordedOutcomes)[number]

/** Why a fire did not run: the name that clients see in `reason`, its outcome, and its sentence. */
export const fireReasons = {
  PAUSED: { outcome: 'skipped', message: 'The agent was paused.' },
  OVERLAP: { outcome: 'skipped', message: 'The agent still had an unfinished run.' },
  NO_CREDITS: { outcome: 'skipped', message: 'The credit balance of the owner was used up.' },
  NO_TIER: {
    outcome: 'skipped',
    message: "The owner's tier did not include workspaces any more, or the account was to be deleted.",
  },
  NO_ROOM: {
    outcome: 'skipped',
    message: 'The payloads and tool results of the owner took up what the account may keep.',
  },
  LATE: { outcome: 'missed', message: 'The platform processed the fire too late to carry it out.' },
  NOT_FIRED: { outcome: 'missed', message: 'The platform was down, or could not process the fire in time.' },
  CHANGED: {
    outcome: 'missed',
    message: 'The schedule was changed before the fire could be carried out, and no longer has it.',
  },
} as const satisfies Record<string, { outcome: RecordedOutcome; message: string }>

export type FireReason = keyof typeof fireReasons
