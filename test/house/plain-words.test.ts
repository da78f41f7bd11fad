import test from 'ava'
import { oddPhrases } from './plain-words.ts'

const odd = [
  'Whoever holds the key',
  'those who wait',
  'what is not of\nthe workspace',
  'The owner is told of it',
  'It goes on by itself',
  'stands in the file',
  'for good',
  'a site that there is not',
  'in place of it',
]

test('odd phrases are found, also across lines, and plain sentences pass', (t) => {
  for (const text of odd) t.true(oddPhrases(text).length > 0, text)
  t.deepEqual(oddPhrases('The run resumes automatically. Its owner gets an email. The site no longer exists.'), [])
})
