import { later } from '../clock.ts'

/**
 * How long something is sent again under its key, and after how long nobody can still be sending it, in seconds. A provider
 * may answer a key with the same error for a day, and take it for a new one then: what was not done soon is better
 * forgotten, once a look has said that it was not done.
 */
const bounds = { sent: 300, underWay: 900 }

/** Whether something that was asked for then is still sent. */
export const mayResend = (since: Date, now: Date): boolean => now <= later(since, bounds.sent)

/** Whether it may have been sent, and not have arrived yet. */
export const mayStillArrive = (since: Date, now: Date): boolean => now <= later(since, bounds.underWay)
