import { chance } from '../../money/chance.ts'

/** What a proxy does with a call: `lost` before the server has it; `cut` and `torn` after the server has answered. */
export type Fate = { kind: 'passed' | 'lost' | 'cut' | 'torn' } | { kind: 'late'; ms: number }

/** The fate of a call by its mark and the number of times that it has come before, the same for every client. */
export function fateOf(seed: number, mark: string, before: number): Fate {
  const random = chance(seed * 1_000_003 + Number(mark.slice('mark-'.length)) * 101 + before)
  const drawn = random.whole(1, 100)
  if (drawn <= 76) return { kind: 'passed' }
  if (drawn <= 84) return { kind: 'late', ms: random.whole(100, 1500) }
  if (drawn <= 91) return { kind: 'cut' }
  return { kind: drawn <= 97 ? 'torn' : 'lost' }
}
