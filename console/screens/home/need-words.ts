import type { Api } from '../../api/client.ts'
import { agoInWords, spanInWords } from '../../parts/format.ts'

type Need = Api['Need']

export const kindWords = {
  approval: { word: 'approval', tone: 'warn' },
  blocked: { word: 'blocked', tone: 'bad' },
  credential: { word: 'credential', tone: 'warn' },
  failing: { word: 'failing', tone: 'bad' },
  silent: { word: 'silent', tone: 'warn' },
  model: { word: 'model', tone: 'bad' },
} as const satisfies Record<Api['NeedKind'], { word: string; tone: 'warn' | 'bad' }>

/** What happens at `until`. */
const endings: Record<Api['NeedKind'], string> = {
  approval: 'expires',
  blocked: 'fails',
  credential: 'ends',
  failing: 'ends',
  silent: 'ends',
  model: 'fails',
}

/** Since when, and until when, each with the exact time. */
export function needTimes({ kind, since, until }: Pick<Need, 'kind' | 'since' | 'until'>, now: number) {
  return [
    ...(since === null ? [] : [{ at: since, words: sinceInWords(kind, since, now) }]),
    ...(until === null ? [] : [{ at: until, words: `${endings[kind]} ${untilInWords(until, now)}` }]),
  ]
}

const sinceInWords = (kind: Need['kind'], since: string, now: number): string =>
  kind === 'approval' ? `requested ${agoInWords(since, now)}` : `for ${spanInWords(now - Date.parse(since))}`

/** A time that has passed will take effect at any moment. */
const untilInWords = (until: string, now: number): string => (Date.parse(until) <= now ? 'now' : agoInWords(until, now))
