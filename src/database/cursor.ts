import { CodedError } from '../errors.ts'

/** The names of the lists. Cursors contain them, so no list accepts another list's cursor. */
export type ListName =
  | 'agents'
  | 'all-workspaces'
  | 'agent-runs'
  | 'agent-versions'
  | 'approvals'
  | 'apps'
  | 'audit'
  | 'callbacks'
  | 'calls'
  | 'catalogue'
  | 'changes'
  | 'fires'
  | 'invitations'
  | 'keys'
  | 'ledger'
  | 'logins'
  | 'members'
  | 'notifications'
  | 'outbox'
  | 'payments'
  | 'refreshes'
  | 'runs'
  | 'runs-of-user'
  | 'sessions'
  | 'users'
  | 'vault'
  | 'workspaces'

/** A list that is read newest first, or in the order of arrival. */
type Reading = ListName | `${ListName}>`

/** The cursor's content. VALIDATION_ERROR if it is from another list or another order. */
export function readCursor<T>(reading: Reading, read: (text: string) => T | undefined, cursor: string): T {
  const [name, text = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':')
  const isOurs = name === reading && /^[\w-]{1,64}$/.test(text) && writeCursor(reading, text) === cursor
  const value = isOurs ? read(text) : undefined
  if (value !== undefined) return value
  const isOther = name === `${reading}>` || `${name}>` === reading
  throw new CodedError('VALIDATION_ERROR', {
    message: isOther
      ? 'The cursor was issued for a different order of this list.'
      : 'The cursor was not issued for this list.',
    details: [
      { path: 'cursor', message: isOther ? sameOrder : 'Use the nextCursor from the previous page unchanged.' },
    ],
  })
}

const sameOrder = 'Use the cursor with the same `order` as the request that returned it.'

export const writeCursor = (reading: Reading, key: string): string =>
  Buffer.from(`${reading}:${key}`, 'utf8').toString('base64url')
