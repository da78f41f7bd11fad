import { later } from '../clock.ts'

/**
 * How long a request is resent under its key, and after how long no copy can still be on its way, in seconds. A
 * provider may repeat an error for a key for a day, and then treat the key as new. So it is better to drop a late
 * request, once a poll shows that it was not performed.
 */
const bounds = { sent: 300, underWay: 900 }

/** Whether a request of this time may be resent. */
export const mayResend = (since: Date, now: Date): boolean => now <= later(since, bounds.sent)

/** Whether a request of this time may still arrive. */
export const mayStillArrive = (since: Date, now: Date): boolean => now <= later(since, bounds.underWay)
