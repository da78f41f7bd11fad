import test from 'ava'
import { secondsInWords } from '../../src/amounts-in-words.ts'

test('seconds are told in the singular and in the plural', (t) => {
  t.deepEqual([1, 2, 60].map(secondsInWords), ['1 second', '2 seconds', '60 seconds'])
})
