import type { RunEvent, Words } from '../../../api/stream.ts'
import { addEvent } from './bars.ts'
import { nothingBuilt, type Bar } from './building.ts'

/** What a run's model is writing. */
interface Writing {
  step: number
  text: string
}

export interface Snapshot {
  /** Another array whenever a row is added or changes. */
  bars: readonly Bar[]
  /** The number of the last event, or 0. */
  last: number
  writing: Writing | undefined
  hasEnded: boolean
}

/** The most of an unfinished answer that a page keeps, in characters; the end is what somebody watches. */
const writingLength = 20_000

/**
 * Collects a run's events and the words between them, and tells a listener at most once per frame, so that a thousand
 * events that arrive together are drawn once.
 */
export function createBuffer(schedule: (draw: () => void) => void) {
  const building = nothingBuilt()
  let last = { number: 0, kind: '' }
  let writing: Writing | undefined
  let snapshot: Snapshot = { bars: [], last: 0, writing: undefined, hasEnded: false }
  let isDue = false
  const listeners = new Set<() => void>()

  function draw(): void {
    isDue = false
    const bars = last.number === snapshot.last ? snapshot.bars : [...building.bars]
    snapshot = { bars, last: last.number, writing, hasEnded: last.kind === 'ended' }
    for (const listener of listeners) listener()
  }

  function changed(): void {
    if (isDue) return
    isDue = true
    schedule(draw)
  }

  return {
    /** Adds the next event. One that arrived already, or that came too early, is left out. */
    add: (event: RunEvent): void => {
      if (event.number !== last.number + 1) return
      addEvent(building, event)
      last = event
      if (event.kind === 'step.finished' || event.kind === 'step.failed') writing = undefined
      changed()
    },
    addWords: ({ step, offset, text }: Words): void => {
      const before = offset > 0 && writing?.step === step ? writing.text : ''
      writing = { step, text: (before + text).slice(-writingLength) }
      changed()
    },
    /** The number of the last event, after which a stream continues. */
    last: (): number => last.number,
    /** Whether the last event is the last of all. */
    isWhole: (): boolean => last.kind === 'ended',
    get: (): Snapshot => snapshot,
    subscribe: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
