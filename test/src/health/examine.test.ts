import test from 'ava'
import { examine } from '../../../src/health/examine.ts'
import { failing, fine, type Check } from '../../../src/health/finding.ts'

const check = (name: string, look: Check<object>['look'], more: Partial<Check<object>> = {}): Check<object> => ({
  name,
  look,
  ...more,
})

test('a check that throws or hangs fails alone and within its time, and no text of an error is repeated', async (t) => {
  const withPassword = Object.assign(new Error('cannot reach postgres://u:hunter2@db'), { code: 'ECONNREFUSED' })
  const findings = await examine(
    [
      check('throws', () => Promise.reject(withPassword)),
      check('throws at once', () => {
        throw new TypeError('hunter2')
      }),
      check('hangs', () => new Promise(() => undefined), { longestMs: 20 }),
      check('is well', async () => fine('It is well.')),
    ],
    {},
  )
  t.deepEqual(
    findings.map(({ name, status, message }) => [name, status, message]),
    [
      ['throws', 'failing', 'The check itself failed (ECONNREFUSED).'],
      ['throws at once', 'failing', 'The check itself failed (TypeError).'],
      ['hangs', 'failing', 'There was no answer within 0.02 seconds.'],
      ['is well', 'ok', 'It is well.'],
    ],
  )
})

test('what needs a failing check is left out, and what needs that as well', async (t) => {
  const down = async () => failing('It is down.', 'Start it.')
  const findings = await examine(
    [
      check('ground', down),
      check('house', down, { needs: ['ground'] }),
      check('roof', async () => fine('It is there.'), { needs: ['house'] }),
      check('garden', async () => fine('It blooms.'), { needs: ['fence'] }),
    ],
    {},
  )
  t.deepEqual(
    findings.map(({ name }) => name),
    ['ground', 'garden'],
  )
})
