import test from 'ava'
import { isTransient, isUnreachable, retryWhileUnavailable } from '../../../src/database/database.ts'
import { KeysNotProvedError } from '../../../src/secrets/sealing.ts'

const away = (code: string) => Object.assign(new Error('away'), { code })

test('what is known already is stored when the database is back', async (t) => {
  let tries = 0
  const stored = await retryWhileUnavailable(async () => {
    tries += 1
    if (tries < 3) throw away('ECONNREFUSED')
    return 'stored'
  }, new AbortController().signal)
  t.is(stored, 'stored')
  t.is(tries, 3)
})

test('storing is given up when it is aborted, and at once for any other failure', async (t) => {
  const stopping = new AbortController()
  const hopeless = retryWhileUnavailable(async () => {
    stopping.abort()
    throw away('ECONNREFUSED')
  }, stopping.signal)
  await t.throwsAsync(hopeless, { code: 'ECONNREFUSED' })
  await t.throwsAsync(
    retryWhileUnavailable(() => Promise.reject(away('23505')), new AbortController().signal),
    { code: '23505' },
  )
})

test('a database is unreachable however its host, its server or its connection went away', (t) => {
  const codes = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', '57P01', '08006']
  const noIpv6 = new AggregateError([away('EADDRNOTAVAIL'), away('ECONNREFUSED')])
  const errors = [...codes.map(away), new Error('select 1 - Query read timeout'), noIpv6]
  for (const error of errors) t.deepEqual([isUnreachable(error), isTransient(error)], [true, true], String(error))
  for (const code of ['23505', '42703', '22P02'])
    t.deepEqual([isUnreachable(away(code)), isTransient(away(code))], [false, false], code)
})

test('what a database gave up, and keys that are not proved yet, may succeed in a moment in a database that is reached', (t) => {
  const codes = ['40001', '40P01', '25P03', '25P04', '55P03', '57014', '53100', '53200', '58030', '28P01']
  for (const error of [...codes.map(away), new KeysNotProvedError('not yet')])
    t.deepEqual([isUnreachable(error), isTransient(error)], [false, true], String(error))
})
