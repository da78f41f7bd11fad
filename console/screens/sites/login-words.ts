import type { Api } from '../../api/client.ts'
import { agoInWords, countInWords } from '../../parts/format.ts'

type Entry = Pick<Api['VaultEntry'], 'status' | 'authType' | 'acceptedAt' | 'endsAt'>

type Tone = 'good' | 'warn' | 'bad' | 'calm'

/** The health of a login: a word, and what else a list should say. */
export interface LoginState {
  word: string
  tone: Tone
  beside: string
}

const dayMs = 86_400_000
/** A login that ends this soon is a warning. `GET /needs` warns as early. */
const soonMs = 7 * dayMs

export function loginState({ status, authType, acceptedAt, endsAt }: Entry, now: number): LoginState {
  const beside = endsAt === null ? lasting[authType] : endInWords(endsAt, now)
  if (status === 'needs_reauth') return { word: 'reconnect', tone: 'bad', beside: 'runs wait for a login' }
  if (endsAt !== null && Date.parse(endsAt) <= now) return { word: 'ended', tone: 'bad', beside }
  if (status === 'refresh_failing') return { word: 'not refreshed', tone: 'warn', beside: 'the site refuses' }
  if (endsAt !== null && Date.parse(endsAt) - now < soonMs) return { word: 'ends soon', tone: 'warn', beside }
  // A token may be wrong until it was tried. A site that granted a login knows it.
  if (acceptedAt === null && authType === 'bearer') return { word: 'not tried', tone: 'calm', beside }
  return { word: 'connected', tone: 'good', beside }
}

const lasting: Record<Api['AuthType'], string> = {
  none: 'no login needed',
  bearer: 'no known end',
  oauth2: 'refreshed automatically',
}

/** `ends in 3 days`, `ended 2 h ago`. */
export function endInWords(at: string, now: number): string {
  const ms = Date.parse(at) - now
  if (ms <= 0) return `ended ${agoInWords(at, now)}`
  return ms < dayMs ? `ends ${agoInWords(at, now)}` : `ends in ${countInWords(Math.floor(ms / dayMs), 'day')}`
}

/** Counts stop at 100. */
export const agentsInWords = (count: number): string =>
  count === 0 ? 'no agent' : count >= 100 ? '100 agents or more' : countInWords(count, 'agent')
