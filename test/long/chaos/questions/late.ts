import type { Arrival, Blow } from '../evidence.ts'
import type { CallRow } from '../rows.ts'

/** A slow door passes what it got last this much after it was opened, and the handshake takes a moment. */
const slackMs = 2000

/** Whether a request came after its call had ended, because the way to that very site was held or slow until then. */
export const isLateByRoad = (call: CallRow, { site, at }: Arrival, blows: Blow[]): boolean =>
  isLate(call, at) &&
  blows.some(
    (blow) =>
      (blow.kind === 'hold' || blow.kind === 'delay') &&
      blow.site === site &&
      blow.from <= at &&
      blow.until + slackMs >= at &&
      blow.until >= (call.startedAt ?? at),
  )

export const isLate = ({ endedAt }: CallRow, at: number): boolean => endedAt !== null && at > endedAt
