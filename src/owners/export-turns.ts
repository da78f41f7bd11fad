import type { Lease } from '../database/lease.ts'
import { CodedError } from '../errors.ts'

/** How long a turn lasts after its process is killed, and how often it is extended, in seconds. */
const lasts = 60
const beat = 20

/** Allows each account one export at a time across all processes, because an export may read gigabytes. */
export const createExportTurns = ({ lease }: { lease: Pick<Lease, 'holdAlone'> }) => ({
  /** RATE_LIMITED while another export runs. The caller must call `end`. */
  async take(userId: string): Promise<{ end: () => Promise<void> }> {
    const held = await lease.holdAlone(`export ${userId}`, lasts)
    const message = 'An export of this account is already running. Only one can run at a time.'
    if (!held) throw new CodedError('RATE_LIMITED', { message, retryAfter: lasts })
    // The next beat makes up for a missed one.
    const beats = setInterval(() => void held.extend(lasts).catch(() => undefined), beat * 1000).unref()
    return {
      end: async () => {
        clearInterval(beats)
        // Without the database, the turn ends within a minute.
        await held.release().catch(() => undefined)
      },
    }
  },
})
