import type { Api } from '../../api/client.ts'
import { countInWords, numberInWords, spanInWords } from '../../parts/format.ts'

/** A figure: the number in view, and what it is to be seen beside. */
export interface Figure {
  value: string
  beside: string
}

type Needs = Pick<Api['Needs'], 'approvals' | 'credits' | 'runs'>

export const runsNow = ({ running, waiting, queued }: Needs['runs']): Figure => ({
  value: `${numberInWords(running)} running`,
  beside: [
    ...(waiting > 0 ? [`${numberInWords(waiting)} waiting`] : []),
    queued > 0 ? `${numberInWords(queued)} queued` : 'nothing queued',
  ].join(', '),
})

/** Counts stop at 10,000 for each trigger. */
export const runsToday = ({ completedToday, failedToday }: Needs['runs']): Figure => ({
  value: `${countTo(completedToday)} completed`,
  beside: failedToday === 0 ? 'none failed' : `${countTo(failedToday)} failed`,
})

const countTo = (count: number): string => numberInWords(count) + (count >= 10_000 ? '+' : '')

export function approvalsNow({ pending, oldestRequestedAt }: Needs['approvals'], now: number): Figure {
  if (pending === 0 || oldestRequestedAt === null) return { value: 'None waiting', beside: 'nothing to decide' }
  const age = spanInWords(now - Date.parse(oldestRequestedAt))
  return {
    value: `${pending >= 1000 ? '1,000+' : numberInWords(pending)} waiting`,
    beside: pending === 1 ? `for ${age}` : `oldest for ${age}`,
  }
}

export function creditsNow({ today, usualPerDay, thisMonth, monthlyCap }: Needs['credits']): Figure {
  const month =
    monthlyCap === null
      ? `${numberInWords(thisMonth)} this month`
      : `${numberInWords(thisMonth)} of ${numberInWords(monthlyCap)} this month`
  const usual = usualPerDay === null ? '' : `usually ${numberInWords(usualPerDay)} a day, `
  return { value: `${numberInWords(today)} today`, beside: usual + month }
}

/** How full a meter is, from 0 to 1, and what it says. */
export interface Meter {
  share: number
  /** Where the usual amount is, from 0 to 1. */
  usual: number | null
  tone: 'calm' | 'warn' | 'bad'
  words: string
}

const nearCap = 0.8

/** The month beside its cap, or without a cap today beside a usual day. Null if there is nothing to compare with. */
export function creditsMeter({ today, usualPerDay, thisMonth, monthlyCap }: Needs['credits']): Meter | null {
  if (monthlyCap !== null) {
    const share = monthlyCap === 0 ? 1 : Math.min(1, thisMonth / monthlyCap)
    const left = Math.max(0, monthlyCap - thisMonth)
    const words = left === 0 ? 'The cap is reached' : `${countInWords(left, 'credit')} left this month`
    return { share, usual: null, tone: share >= 1 ? 'bad' : share >= nearCap ? 'warn' : 'calm', words }
  }
  if (usualPerDay === null || usualPerDay === 0) return null
  // The usual day is in the middle, so that both less and more can be seen.
  const full = Math.max(today, usualPerDay * 2)
  const times = today / usualPerDay
  const words = times >= 2 ? `${numberInWords(Math.floor(times))} times a usual day` : 'The mark is a usual day'
  return { share: today / full, usual: usualPerDay / full, tone: times >= 2 ? 'warn' : 'calm', words }
}
