// @promise addresses
import test from 'ava'
import type { LookupAddress } from 'node:dns'
import { createCheckedLookup, type Lookup } from '../../../src/safe-fetch/checked-lookup.ts'
import { isPublicAddress } from '../../../src/safe-fetch/ip-ranges.ts'
import { SafeFetchError } from '../../../src/safe-fetch/safe-fetch-error.ts'

/** A resolver that gives these answers, one after the other; the last one for ever. */
function resolver(...answers: (string[] | Error)[]): Lookup {
  return (_hostname, _options, callback) => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (!Array.isArray(answer)) return callback(answer ?? null, [])
    callback(null, answer.map(toAddress))
  }
}

const toAddress = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })

/** What a socket would be given: the addresses, or the reason for refusing. */
function ask(judged: ReturnType<typeof createCheckedLookup>, all = true): Promise<unknown> {
  return new Promise((resolve) => {
    judged('shop.example', { all }, (error, answer, family) => {
      if (error) return resolve(error instanceof SafeFetchError ? error.reason : error)
      resolve(all ? answer : { address: answer, family })
    })
  })
}

test('a public answer is handed on whole, in its order; a socket that wants one address gets the first, after all were judged', async (t) => {
  const judged = createCheckedLookup(resolver(['2606:4700::1111', '1.1.1.1']), isPublicAddress)
  const [first, second] = [
    { address: '2606:4700::1111', family: 6 },
    { address: '1.1.1.1', family: 4 },
  ]
  t.deepEqual(await ask(judged), [first, second])
  t.deepEqual(await ask(judged, false), first)
  t.is(await ask(createCheckedLookup(resolver(['1.1.1.1', '10.0.0.1']), isPublicAddress), false), 'refused-name')
})

test('a name that turns private after a public answer, or after not existing, is refused', async (t) => {
  const missing = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
  const judged = createCheckedLookup(resolver(['1.1.1.1'], ['127.0.0.1'], missing, ['10.0.0.1']), isPublicAddress)
  t.deepEqual(await ask(judged), [{ address: '1.1.1.1', family: 4 }])
  t.deepEqual([await ask(judged), await ask(judged), await ask(judged)], ['refused-name', 'dns', 'refused-name'])
})

const mixed = ['1.1.1.1 192.168.0.1', '10.0.0.1 1.1.1.1', '1.1.1.1 ::1', '2606:4700::1111 ::ffff:127.0.0.1']

test('an answer with one address that is not public is refused whole', async (t) => {
  for (const answer of [...mixed, '169.254.169.254', 'fe80::1%eth0', 'nothing'])
    t.is(await ask(createCheckedLookup(resolver(answer.split(' ')), isPublicAddress)), 'refused-name', answer)
})

test('an empty answer is a failed lookup', async (t) => {
  t.is(await ask(createCheckedLookup(resolver([]), isPublicAddress)), 'dns')
  t.is(await ask(createCheckedLookup(resolver([]), () => true)), 'dns')
})

test('what is permitted may have any address', async (t) => {
  const judged = createCheckedLookup(resolver(['127.0.0.1']), () => true)
  t.deepEqual(await ask(judged), [{ address: '127.0.0.1', family: 4 }])
})
