import { secondsInWords } from '../amounts-in-words.ts'
import type { Unsent } from './sender.ts'

/** Why a call was not sent, or has done nothing. */
export function reasonOf(sent: Unsent, now: Date) {
  if (sent.kind === 'held') {
    const seconds = Math.max(1, Math.ceil((sent.until.getTime() - now.getTime()) / 1000))
    // Our own limit ends within a minute; a site's Retry-After is passed on unchanged.
    const retryAfter = sent.why === 'limit' ? Math.min(seconds, 60) : seconds
    const message = `Too many tool calls to ${sent.host}. Try again in ${secondsInWords(retryAfter)}.`
    return { code: 'OUTGOING_RATE_LIMITED', message, retryAfter } as const
  }
  if (sent.kind === 'unsent')
    return { code: sent.notGranted ? 'PERMISSION_DENIED' : 'SITE_UNAVAILABLE', message: sent.outcome.text } as const
  return { code: 'TOOL_EXECUTION_ERROR', message: sent.message } as const
}
