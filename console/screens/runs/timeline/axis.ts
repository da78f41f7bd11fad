import { durationInWords, spanInWords } from '../../../parts/format.ts'
import type { Scale } from './idle.ts'

/** A word at a place of the line, from 0 to 1. */
interface Mark {
  place: number
  text: string
  isGap: boolean
}

const places = [0, 0.25, 0.5, 0.75]
/** Words closer than this would touch. */
const room = 0.1

/** How much time had passed at places of the line, and how long each collapsed gap was. */
export function marksOf({ from, timeAt, gaps }: Pick<Scale, 'from' | 'timeAt' | 'gaps'>): Mark[] {
  const idle = gaps.map((gap) => ({
    place: (gap.start + gap.end) / 2,
    text: `${spanInWords(gap.to - gap.from)} idle`,
    isGap: true,
  }))
  const passed = places.map((place) => ({
    place,
    text: place === 0 ? '0' : durationInWords(timeAt(place) - from),
    isGap: false,
  }))
  return [...idle, ...passed].reduce<Mark[]>((kept, mark) => (kept.some(isNear(mark)) ? kept : [...kept, mark]), [])
}

const isNear = (one: Mark) => (other: Mark) => Math.abs(one.place - other.place) < room
