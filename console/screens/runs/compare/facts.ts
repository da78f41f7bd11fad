import type { Api } from '../../../api/client.ts'
import { costInWords, durationInWords, numberInWords } from '../../../parts/format.ts'
import { workedMs } from '../../../parts/run-words.ts'

type Run = Api['RunSummary']

/** A fact about two runs. `change` says by how much the other run differs, if that can be said. */
export interface Fact {
  name: string
  one: string
  other: string
  differs: boolean
  change: string | undefined
}

/** What can be counted about two runs, beside each other. `now` is the end of a run that has none. */
export function factsOf(one: Run, other: Run, now: number): Fact[] {
  const counted = ({ name, of, inWords }: Counted): Fact => {
    const [left, right] = [of(one, now), of(other, now)]
    const [first, second] = [inWords(left), inWords(right)]
    const differs = first !== second
    return {
      name,
      one: first,
      other: second,
      differs,
      change: differs ? changeInWords(left, right, inWords) : undefined,
    }
  }
  const said = ({ name, of }: Said): Fact => {
    const [first, second] = [of(one), of(other)]
    return { name, one: first, other: second, differs: first !== second, change: undefined }
  }
  return [...words.map(said), ...counts.map(counted)]
}

interface Said {
  name: string
  of: (run: Run) => string
}

interface Counted {
  name: string
  of: (run: Run, now: number) => number | undefined
  inWords: (value: number | undefined) => string
}

const words: Said[] = [
  { name: 'Status', of: ({ status }) => status },
  { name: 'Reason', of: ({ reason }) => reason ?? '–' },
]

const count = (value: number | undefined): string => (value === undefined ? '–' : numberInWords(value))

const counts: Counted[] = [
  { name: 'Duration', of: workedMs, inWords: (ms) => (ms === undefined ? '–' : durationInWords(ms)) },
  { name: 'Steps', of: ({ steps }) => steps, inWords: count },
  { name: 'Tool calls', of: ({ toolCalls }) => toolCalls, inWords: count },
  { name: 'Input tokens', of: ({ inputTokens }) => inputTokens, inWords: count },
  { name: 'of them cached', of: ({ cachedTokens }) => cachedTokens, inWords: count },
  { name: 'Output tokens', of: ({ outputTokens }) => outputTokens, inWords: count },
  { name: 'Credits', of: ({ credits }) => credits, inWords: count },
  { name: 'Cost', of: ({ costUsd }) => costUsd ?? undefined, inWords: (usd) => costInWords(usd ?? null) },
]

function changeInWords(one: number | undefined, other: number | undefined, inWords: Counted['inWords']) {
  if (one === undefined || other === undefined) return undefined
  return `${other > one ? '+' : '−'}${inWords(Math.abs(other - one))}`
}
