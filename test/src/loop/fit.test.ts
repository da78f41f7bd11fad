import test from 'ava'
import * as fc from 'fast-check'
import { fit, type Cuts, type Sizes } from '../../../src/loop/fit.ts'

const none: Cuts = { shortenedThrough: 0, leftOutThrough: 0 }
const stepsOf = (count: number, size = { whole: 100, shortened: 10 }): Sizes['steps'] =>
  Array.from({ length: count }, (_, index) => ({ ...size, step: index + 1, hasCalls: true }))

/** The prompt's size with these cuts. */
const shown = ({ fixed, steps }: Sizes, { shortenedThrough, leftOutThrough }: Cuts): number =>
  steps
    .filter(({ step }) => step > leftOutThrough)
    .reduce((sum, { step, whole, shortened }) => sum + (step > shortenedThrough ? whole : shortened), fixed)

test('a prompt that fits is left as it is', (t) => {
  t.deepEqual(fit({ fixed: 100, steps: stepsOf(9) }, none, 1000), { ...none, before: 1000, after: 1000 })
})

test('the oldest results are shortened, far below the limit', (t) => {
  const { shortenedThrough, leftOutThrough, after } = fit({ fixed: 100, steps: stepsOf(10) }, none, 1000)
  t.is(leftOutThrough, 0)
  t.is(shortenedThrough, 5)
  t.is(after, 650)
})

test('steps are left out if shortening is not enough, even further below it', (t) => {
  const sizes = { fixed: 100, steps: stepsOf(20, { whole: 100, shortened: 90 }) }
  const { shortenedThrough, leftOutThrough, after } = fit(sizes, none, 1000)
  t.is(shortenedThrough, 19)
  t.is(leftOutThrough, 17)
  t.is(after, 380)
})

test('the last step with calls is kept whole, and so is what comes after it', (t) => {
  const steps = stepsOf(4).map((step) => ({ ...step, hasCalls: step.step < 3 }))
  t.deepEqual(fit({ fixed: 0, steps }, none, 50), { shortenedThrough: 1, leftOutThrough: 1, before: 400, after: 300 })
})

test('of a run without calls the last step is kept', (t) => {
  const steps = stepsOf(3).map((step) => ({ ...step, hasCalls: false }))
  t.is(fit({ fixed: 0, steps }, none, 50).after, 100)
  t.is(fit({ fixed: 80, steps: [] }, none, 50).after, 80)
})

const size = fc.record({
  shortened: fc.integer({ min: 1, max: 300 }),
  more: fc.integer({ min: 0, max: 900 }),
  hasCalls: fc.boolean(),
})
const anySizes = fc
  .record({
    fixed: fc.integer({ min: 0, max: 2000 }),
    steps: fc.array(size, { maxLength: 30 }),
    left: fc.integer({ min: 0, max: 20 }),
    cut: fc.integer({ min: 0, max: 20 }),
  })
  .map(({ fixed, steps, left, cut }) => {
    const cuts = { leftOutThrough: left, shortenedThrough: left + cut }
    const sized = steps.map(({ shortened, more, hasCalls }, index) => {
      const step = left + index + 1
      // What is shortened already is shown that way.
      return { step, shortened, whole: step <= cuts.shortenedThrough ? shortened : shortened + more, hasCalls }
    })
    return { sizes: { fixed, steps: sized }, cuts }
  })
const anyLimit = fc.integer({ min: 1, max: 10_000 })

test('whatever the steps, a prompt is cut as far as it has to be, and never where it must not be', (t) => {
  const rules = fc.property(anySizes, anyLimit, ({ sizes, cuts }, limit) => {
    const before = JSON.stringify(sizes)
    const fitted = fit(sizes, cuts, limit)
    t.deepEqual(fit(sizes, cuts, limit), fitted, 'asked twice it answers the same')
    t.is(JSON.stringify(sizes), before, 'it changes nothing')
    t.true(fitted.shortenedThrough >= cuts.shortenedThrough, 'nothing is undone')
    t.true(fitted.leftOutThrough >= cuts.leftOutThrough, 'nothing is undone')
    t.is(fitted.before, shown(sizes, cuts))
    t.is(fitted.after, shown(sizes, fitted), 'it says how long the prompt is')
    const last = sizes.steps.findLastIndex(({ hasCalls }) => hasCalls)
    const kept = sizes.steps.slice(last)
    const keptSize = sizes.fixed + kept.reduce((sum, { whole }) => sum + whole, 0)
    const [first] = kept
    if (first) t.true(fitted.leftOutThrough < first.step, 'the last exchange is shown')
    if (first && first.step > cuts.shortenedThrough) t.true(fitted.shortenedThrough < first.step, 'and whole')
    t.is(fitted.after <= limit, keptSize <= limit, 'it fits if what must be kept does')
    if (fitted.after > limit) t.is(fitted.after, keptSize, 'otherwise everything else is gone')
    if (fitted.before > limit && keptSize <= limit) {
      const room = limit - keptSize
      t.true(fitted.after <= keptSize + 0.6 * room, 'the next steps have room')
    }
    const again = fit({ fixed: sizes.fixed, steps: visible(sizes, fitted) }, fitted, limit)
    if (fitted.after <= limit) t.like(again, { ...fitted, before: fitted.after }, 'what was cut needs no more cuts')
  })
  fc.assert(rules, { numRuns: 50 })
})

/** The steps as they are read once the cuts are in force. */
const visible = ({ steps }: Sizes, { shortenedThrough, leftOutThrough }: Cuts): Sizes['steps'] =>
  steps
    .filter(({ step }) => step > leftOutThrough)
    .map((each) => (each.step <= shortenedThrough ? { ...each, whole: each.shortened } : each))

test('results are shortened before any step is left out', (t) => {
  const rules = fc.property(anySizes, anyLimit, ({ sizes, cuts }, limit) => {
    const { shortenedThrough, leftOutThrough } = fit(sizes, cuts, limit)
    if (leftOutThrough === cuts.leftOutThrough) return
    const last = sizes.steps.findLastIndex(({ hasCalls }) => hasCalls)
    const cuttable = sizes.steps.slice(0, last)
    t.true(shortenedThrough >= (cuttable.at(-1)?.step ?? 0))
  })
  fc.assert(rules)
})

test('a run that goes on step by step is cut rarely', (t) => {
  let cuts = none
  let times = 0
  for (let count = 1; count <= 1000; count += 1) {
    const steps = visible({ fixed: 0, steps: stepsOf(count, { whole: 20_500, shortened: 900 }) }, cuts)
    const fitted = fit({ fixed: 4000, steps }, cuts, 230_000)
    t.true(fitted.after <= 230_000)
    if (fitted.after < fitted.before) times += 1
    cuts = fitted
  }
  t.true(times < 250, `${times} times`)
})

test('nothing more is cut once a goal is met exactly', (t) => {
  const cuttable = stepsOf(3, { whole: 20, shortened: 5 })
  const steps = [...cuttable, { step: 4, whole: 50, shortened: 50, hasCalls: true }]
  t.deepEqual(fit({ fixed: 0, steps }, none, 100), { shortenedThrough: 2, leftOutThrough: 0, before: 110, after: 80 })
})
