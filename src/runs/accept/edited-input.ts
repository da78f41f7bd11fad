import { CodedError } from '../../errors.ts'
import type { Run } from '../run.ts'

/** The JSON texts of the edited payload and input in a request for a replay. */
export interface EditedInput {
  payload?: string | undefined
  input?: string | undefined
}

/** The member that a run's trigger allows, and the sentence for any other. */
const members = {
  webhook: {
    allowed: 'payload',
    advice: 'A delivery started this run, so send its edited payload as "payload" and not as "input".',
  },
  manual: {
    allowed: 'input',
    advice: 'This run was started manually, so send its edited input as "input" and not as "payload".',
  },
  scheduled: {
    allowed: null,
    advice: 'A schedule started this run, so it has no payload or input to edit. Send no body.',
  },
} as const satisfies Record<Run['trigger'], { allowed: keyof EditedInput | null; advice: string }>

/** The edited text for the replay of a run with this trigger, if any. VALIDATION_ERROR for the wrong member. */
export function editedText(trigger: Run['trigger'], given: EditedInput): string | undefined {
  const { allowed, advice: message } = members[trigger]
  const wrong = (['payload', 'input'] as const).filter((name) => name !== allowed && given[name] !== undefined)
  if (wrong.length > 0) {
    throw new CodedError('VALIDATION_ERROR', { message, details: wrong.map((path) => ({ path, message })) })
  }
  return allowed === null ? undefined : given[allowed]
}
