import test from 'ava'
import { later } from '../../../src/clock.ts'
import { askAgainAt, heard, mostWorkSeconds, unheard, whyOver, type Job } from '../../../src/tools/job.ts'

const began = new Date('2026-11-21T09:00:00Z')
const at = (seconds: number): Date => later(began, seconds)
const jobOf = (askAfter?: number, until = at(mostWorkSeconds)): Job =>
  heard({ state: '{}', words: '', askAfter }, null, { now: began, until })
const pauseOf = (job: Job, seconds = 0): number =>
  (askAgainAt(job, at(seconds)).getTime() - at(seconds).getTime()) / 1000

test('a site is asked at its own pace, within bounds', (t) => {
  t.is(pauseOf(jobOf()), 5)
  t.is(pauseOf(jobOf(20)), 20)
  t.is(pauseOf(jobOf(0)), 1)
  t.is(pauseOf(jobOf(1e9)), 300)
})

test('a site that works for long is asked less and less, at most 450 times in a day', (t) => {
  let requests = 0
  for (let now = 0; now < mostWorkSeconds; now += pauseOf(jobOf(0), now)) requests += 1
  t.true(requests > 100 && requests <= 450, String(requests))
})

test('a site that does not answer is asked less and less, for an hour', (t) => {
  // It was last asked an hour ago, because a person had to answer: its silence begins now.
  let job = unheard(jobOf(1), at(3600))
  t.is(pauseOf(job), 2)
  job = unheard(job, at(3602))
  t.is(pauseOf(job), 4)
  t.is(whyOver(job, at(7200)), undefined)
  t.regex(whyOver(job, at(7201)) ?? '', /has not answered for an hour/)
  const again = heard({ state: '{}', words: '' }, job, { now: at(7100), until: at(1) })
  t.is(whyOver(again, at(20_000)), undefined)
  t.is(again.until, job.until, 'the first limit counts')
})

test('the end is waited for a day at most, or as long as the caller can', (t) => {
  t.is(whyOver(jobOf(), at(mostWorkSeconds - 1)), undefined)
  t.regex(whyOver(jobOf(1, at(2 * mostWorkSeconds)), at(mostWorkSeconds)) ?? '', /still worked/)
  t.deepEqual(askAgainAt(jobOf(60, at(10)), began), at(10), 'once more at the end')
  t.regex(whyOver(jobOf(60, at(10)), at(10)) ?? '', /still worked/)
})
