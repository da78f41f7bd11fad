import { durationInWords, spanInWords } from '../../../parts/format.ts'
import type { Scale } from './idle.ts'

/** A word at a place of the line, from 0 to 1. */
interface Mark {
  place: number
  text: string
}

/** Words closer than this share of the line would touch. */
const usualRoom = 0.1
const mostMarks = 5

/** How much time had passed, at round times, and how long each collapsed gap was. */
export function marksOf({ from, to, at, gaps }: Pick<Scale, 'from' | 'to' | 'at' | 'gaps'>, room = usualRoom): Mark[] {
  const idle = gaps.map((gap) => ({
    place: (gap.start + gap.end) / 2,
    text: `${spanInWords(gap.to - gap.from)} idle`,
  }))
  const worked = to - from - gaps.reduce((sum, gap) => sum + gap.to - gap.from, 0)
  const times = [from, ...gaps.map((gap) => gap.to)].flatMap((start) => roundTimes(start, worked / mostMarks))
  const passed = times
    .filter((time) => time < to)
    .map((time) => ({ place: at(time), text: time === from ? '0' : durationInWords(time - from) }))
  return [...idle, ...passed].reduce<Mark[]>(
    (kept, mark) => (kept.some(isNear(mark, room)) ? kept : [...kept, mark]),
    [],
  )
}

/** Times after a start, apart by the next round number of milliseconds. */
const roundTimes = (start: number, least: number): number[] =>
  Array.from({ length: mostMarks }, (_, index) => start + index * roundUp(least))

/** 1, 2 or 5 and zeros, from seconds on also what divides a minute and an hour. */
function roundUp(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)))
  const decimal = [1, 2, 5, 10].map((factor) => factor * power)
  const clock = [15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((seconds) => seconds * 1000)
  const round = ms > 10_000 && ms <= 3_600_000 ? clock : decimal
  return round.find((each) => each >= ms) ?? ms
}

const isNear = (one: Mark, room: number) => (other: Mark) => Math.abs(one.place - other.place) < room
