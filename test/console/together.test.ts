import test from 'ava'
import { together } from '../../console/screens/runs/timeline/together.ts'

test('calls within a while are one call with the last value, and later ones are another', (t) => {
  const due: (() => void)[] = []
  const worked: number[] = []
  const call = together<number>(
    200,
    (value) => worked.push(value),
    (work, ms) => {
      t.is(ms, 200)
      due.push(work)
    },
  )
  for (const value of [1, 2, 3]) call(value)
  t.deepEqual([due.length, worked], [1, []])
  due.pop()?.()
  t.deepEqual(worked, [3])
  call(4)
  due.pop()?.()
  t.deepEqual(worked, [3, 4])
})
