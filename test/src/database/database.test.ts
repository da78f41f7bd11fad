import test from 'ava'
import { isDatabaseAway, persist } from '../../../src/database/database.ts'

const away = (code: string) => Object.assign(new Error('away'), { code })

test('what is known already is stored when the database is back', async (t) => {
  let tries = 0
  const stored = await persist(async () => {
    tries += 1
    if (tries < 3) throw away('ECONNREFUSED')
    return 'stored'
  }, new AbortController().signal)
  t.is(stored, 'stored')
  t.is(tries, 3)
})

test('storing is given up when it is aborted, and at once for any other failure', async (t) => {
  const stopping = new AbortController()
  const hopeless = persist(async () => {
    stopping.abort()
    throw away('ECONNREFUSED')
  }, stopping.signal)
  await t.throwsAsync(hopeless, { code: 'ECONNREFUSED' })
  await t.throwsAsync(
    persist(() => Promise.reject(away('23505')), new AbortController().signal),
    { code: '23505' },
  )
})

test('a database is away however its host, its server or its connection went away', (t) => {
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', '57P01', '08006', '40P01']
  for (const code of codes) t.true(isDatabaseAway(away(code)), code)
  t.true(isDatabaseAway(Object.assign(new Error('select 1 - Query read timeout'))))
  for (const code of ['23505', '42703', '22P02']) t.false(isDatabaseAway(away(code)), code)
})
