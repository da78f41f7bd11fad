import type { RunEvent } from '../../../api/stream.ts'

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'calm'

/** An attempt at a model call or a tool call. */
interface Attempt {
  from: number
  to: number | null
  isFailed: boolean
  message: string | null
}

/** A row of the waterfall: something that took time, or a moment. Times are milliseconds. */
export interface Bar {
  id: string
  kind: 'queue' | 'step' | 'tool' | 'wait' | 'approval' | 'moment'
  /** What it is, in a few words. Names come from sites and models. */
  title: string
  /** More of it, for a second line. */
  detail: string
  from: number
  /** Null while it lasts. */
  to: number | null
  tone: Tone
  /** A word for the outcome, because a colour alone says nothing. */
  outcome: string
  attempts: Attempt[]
  /** Numbers of the events that say more when the row is opened. */
  events: number[]
  step: number | null
  approvalId: string | null
  /** 1 for what belongs to a step. */
  depth: 0 | 1
}

/** The rows so far. What is under way is found by a key: a step by its number, a call by its id. */
export interface Building {
  bars: Bar[]
  open: Map<string, Bar>
}

export const nothingBuilt = (): Building => ({ bars: [], open: new Map() })

export function begin({ bars, open }: Building, key: string, event: RunEvent, at: number, parts: Partial<Bar>): Bar {
  const known = open.get(key)
  if (known) {
    known.events.push(event.number)
    return known
  }
  const bar: Bar = {
    id: `${key} ${event.number}`,
    kind: 'moment',
    title: '',
    detail: '',
    from: at,
    to: null,
    tone: 'busy',
    outcome: 'under way',
    attempts: [],
    events: [event.number],
    step: null,
    approvalId: null,
    depth: 0,
    ...parts,
  }
  bars.push(bar)
  open.set(key, bar)
  return bar
}

export function beginAttempt(building: Building, key: string, event: RunEvent, at: number, parts: Partial<Bar>): void {
  const bar = begin(building, key, event, at, parts)
  closeAttempt(bar, at)
  bar.attempts.push({ from: at, to: null, isFailed: false, message: null })
}

/** An attempt whose process died has no end of its own: the next one ends it. */
function closeAttempt({ attempts }: Bar, at: number): void {
  const last = attempts.at(-1)
  if (last) last.to ??= at
}

export function failAttempt(
  { open }: Building,
  key: string,
  { number }: RunEvent,
  at: number,
  message: string | null,
): void {
  const bar = open.get(key)
  if (!bar) return
  bar.events.push(number)
  const last = bar.attempts.at(-1)
  if (last) Object.assign(last, { to: at, isFailed: true, message })
  bar.outcome = 'will be retried'
}

export function end({ open }: Building, key: string, { number }: RunEvent, at: number, tone: Tone, outcome: string) {
  const bar = open.get(key)
  if (!bar) return undefined
  open.delete(key)
  closeAttempt(bar, at)
  if (bar.events.at(-1) !== number) bar.events.push(number)
  return Object.assign(bar, { to: at, tone, outcome })
}

export function moment(building: Building, event: RunEvent, at: number, title: string, detail = ''): void {
  const key = `moment ${event.number}`
  begin(building, key, event, at, { title, detail, tone: 'calm', outcome: '' })
  building.open.delete(key)
  const bar = building.bars.at(-1)
  if (bar) bar.to = at
}
