import test from 'ava'
import { createAdmission } from '../../api/route/admission.ts'

type Asked = Parameters<ReturnType<typeof createAdmission>['admit']>[0]

/** A request with this token from this address. */
const request = (token: string, ip = '192.0.2.1', headers = {}): [Asked, string] => [
  { ip, headers, get: () => '' } as unknown as Asked,
  `Bearer ${token}`,
]

/** Requests whose checks take until they are told to end; `order` has the accounts in the order of their checks. */
function open() {
  // However slow the machine is, a check has its place until it is told to end.
  const admission = createAdmission({ longestMs: 60_000 })
  const order: string[] = []
  const ends: (() => void)[] = []
  const ask = (token: string, userId: string | undefined, ip?: string) =>
    admission.admit(...request(token, ip), async () => {
      order.push(userId ?? `nobody at ${ip}`)
      await new Promise<void>((resolve) => ends.push(resolve))
      return { account: userId === undefined ? undefined : { userId } }
    })
  /** Ends what is being checked, and what comes after, until nothing is left. */
  async function endAll(): Promise<void> {
    await new Promise(setImmediate)
    while (ends.length > 0) {
      ends.shift()?.()
      await new Promise(setImmediate)
    }
  }
  return { ask, order, endAll, checking: () => ends.length }
}

test('somebody who asks now and then is checked before those who flood the process with many keys', async (t) => {
  const { ask, order, endAll, checking } = open()
  const keys = Array.from({ length: 20 }, (_, number) => `key ${number}`)
  const known = [...keys.map((key) => ask(key, 'flood')), ask('a login', 'somebody')]
  await endAll()
  await Promise.all(known)
  order.length = 0
  const flood = [...keys, ...keys].map((key) => ask(key, 'flood'))
  await new Promise(setImmediate)
  t.is(checking(), 2, 'a few at a time')
  const one = ask('a login', 'somebody')
  await endAll()
  await Promise.all([...flood, one])
  t.is(order.indexOf('somebody'), 2, 'the next one')
})

test('tokens that nobody has been given count by address, so to make them up gains nothing', async (t) => {
  const { ask, order, endAll } = open()
  const first = ask('a login', 'somebody', '192.0.2.7')
  await endAll()
  await first
  const flood = Array.from({ length: 40 }, (_, number) => ask(`made up ${number}`, undefined, '192.0.2.9'))
  const one = ask('a login', 'somebody', '192.0.2.7')
  const stranger = ask('made up, too', undefined, '192.0.2.8')
  await endAll()
  await Promise.all([...flood, one, stranger])
  t.true(order.indexOf('nobody at 192.0.2.8') <= 6)
  t.true(order.lastIndexOf('somebody') <= 6)
})

test('the addresses of one IPv6 network count as one', async (t) => {
  const { ask, order, endAll } = open()
  const flood = Array.from({ length: 20 }, (_, number) =>
    ask(`made up ${number}`, undefined, `2001:db8::${number + 1}`),
  )
  const stranger = ask('made up, too', undefined, '2001:db8:0:1::1')
  await endAll()
  await Promise.all([...flood, stranger])
  t.true(order.indexOf('nobody at 2001:db8:0:1::1') <= 3)
})

test('a check that fails gives its place back', async (t) => {
  const admission = createAdmission()
  for (let number = 0; number < 20; number += 1)
    await t.throwsAsync(
      admission.admit(...request('bad'), () => Promise.reject(new Error('refused'))),
      { message: 'refused' },
    )
})

test('checks that hang, as while Postgres does, leave their places to others', async (t) => {
  const admission = createAdmission()
  const { promise: never, resolve } = Promise.withResolvers<{ account: undefined }>()
  const hanging = Array.from({ length: 4 }, () => admission.admit(...request('hangs'), () => never))
  const other = await admission.admit(...request('works', '192.0.2.2'), () =>
    Promise.resolve({ account: { userId: 'somebody' } }),
  )
  t.deepEqual(other, { account: { userId: 'somebody' } })
  resolve({ account: undefined })
  t.is((await Promise.all(hanging)).length, 4)
})

test('requests with large bodies are checked in turns of their own, so somebody with small ones goes before', async (t) => {
  const admission = createAdmission({ longestMs: 60_000 })
  const order: string[] = []
  const check = (userId: string) => async () => {
    order.push(userId)
    await new Promise(setImmediate)
    return { account: { userId } }
  }
  const large = { 'content-length': String(1024 ** 2) }
  const uploads = Array.from({ length: 40 }, (_, number) =>
    admission.admit(...request(`upload ${number}`, `192.0.2.${number}`, large), check(`upload ${number}`)),
  )
  const chunked = admission.admit(
    ...request('chunks', '192.0.2.50', { 'transfer-encoding': 'chunked' }),
    check('chunks'),
  )
  const small = admission.admit(...request('small', '192.0.2.60'), check('small'))
  await Promise.all([...uploads, chunked, small])
  t.is(order.indexOf('small'), 1, 'beside the first upload')
  t.is(order.indexOf('chunks'), 41, 'of unknown size: in turn')
})
