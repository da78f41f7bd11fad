import type { Lease } from '../database/lease.ts'
import { CodedError } from '../errors.ts'

/** How long a turn lasts after its process was killed, and how often it is extended until then, in seconds. */
const lasts = 60
const beat = 20

/** Lets each account export one thing at a time, on all processes together: an export may read gigabytes. */
export const createExportTurns = ({ lease }: { lease: Pick<Lease, 'holdAlone'> }) => ({
  /** RATE_LIMITED while another one continues. `end` must be called. */
  async take(userId: string): Promise<{ end: () => Promise<void> }> {
    const held = await lease.holdAlone(`export ${userId}`, lasts)
    const message = 'An export of this account is already running. Only one can run at a time.'
    if (!held) throw new CodedError('RATE_LIMITED', { message, retryAfter: lasts })
    // A missed beat is made good by the next.
    const beats = setInterval(() => void held.extend(lasts).catch(() => undefined), beat * 1000).unref()
    return {
      end: async () => {
        clearInterval(beats)
        // If the database is away, it is over in a minute.
        await held.release().catch(() => undefined)
      },
    }
  },
})
