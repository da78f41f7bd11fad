import { hashSync } from '@node-rs/argon2'
import test from 'ava'
import * as auth from '../../api/auth.ts'
import { setUpTotp } from '../helpers/authenticator.ts'
import { call } from '../helpers/client.ts'
import { newcomer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { send } from './raw-http.ts'

/** Dear enough to be told from all other work of a login: some 150 ms of a processor. */
const parameters = { memoryCost: 8192, timeCost: 25, parallelism: 1 }
const passwordCost = { parameters, dummyHash: hashSync('the password of nobody', parameters) }

const open = forWholeFile(test, 'passwords', (t) => startPlatform(t, { passwordCost }))
const logIn = ({ url }: { url: string }, email: string, password: string) =>
  call({ url }, auth.login, { body: { email, password } })

/**
 * The least processor time in milliseconds that this process has needed for each of several works in four rounds,
 * whatever else it does, and however fast the processor is, at times.
 */
async function leastCpuOfEach<Name extends string>(
  works: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(works) as Name[]
  const least = Object.fromEntries(names.map((name) => [name, Infinity])) as Record<Name, number>
  for (let round = 0; round < 4; round += 1) {
    for (const name of names) {
      const before = process.cpuUsage()
      await works[name]()
      const { user, system } = process.cpuUsage(before)
      least[name] = Math.min(least[name], (user + system) / 1000)
    }
  }
  return least
}

const leastCpu = async (work: () => Promise<unknown>): Promise<number> => (await leastCpuOfEach({ work })).work

/** Neither without the hash, which is nearly all of it, nor with two. */
const isAlike = (needed: number, usual: number): boolean => needed > usual * 0.6 && needed < usual * 1.6

test.serial(
  'a login does the same work for an unknown address, a wrong password, and an account with an app',
  async (t) => {
    const platform = await open()
    const someone = await newcomer(platform)
    const protectedOne = await newcomer(platform)
    await setUpTotp(protectedOne)
    const wrong = 'not the password at all'
    const { usual, without, ...alike } = await leastCpuOfEach({
      usual: () => logIn(platform, someone.email, wrong),
      without: () => call(platform, auth.refresh, { body: { refreshToken: 'sy_refresh_x' } }),
      'an unknown address': () => logIn(platform, 'nobody@example.com', wrong),
      'what is no address': () => logIn(platform, 'nobody', wrong),
      'an account with an app': () => logIn(platform, protectedOne.email, wrong),
      'an account with an app, and a code': () =>
        call(platform, auth.login, { body: { email: protectedOne.email, password: wrong, code: '123456' } }),
      'a short password': () => logIn(platform, someone.email, 'x'),
      'a password of 256 characters': () => logIn(platform, someone.email, 'x'.repeat(256)),
    })
    for (const [what, needed] of Object.entries(alike))
      t.true(isAlike(needed, usual), `${what}: ${needed} ms, not ${usual} ms`)
    t.true(without < usual * 0.3, `${without} ms without a password: ${usual} ms tell nothing`)
  },
)

test.serial('making an account does the same work whether or not the address is taken', async (t) => {
  const platform = await open()
  const { email, password } = await newcomer(platform)
  let made = 0
  const { taken, free } = await leastCpuOfEach({
    taken: () => call(platform, auth.register, { body: { email, password } }),
    free: () => call(platform, auth.register, { body: { email: `free-${(made += 1)}-${email}`, password } }),
  })
  t.true(isAlike(free, taken), `${free} ms, not ${taken} ms`)
})

test.serial('a password of a megabyte is refused before it is hashed', async (t) => {
  const platform = await open()
  const { email, token } = await newcomer(platform)
  const usual = await leastCpu(() => logIn(platform, email, 'not the password'))
  const long = 'x'.repeat(1_000_000)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const bodies: [method: string, path: string, body: object][] = [
    ['POST', '/auth/login', { email, password: long }],
    ['POST', '/auth/register', { email: `new-${email}`, password: long }],
    ['PATCH', '/auth/me', { currentPassword: long, newPassword: long }],
    ['POST', '/auth/totp', { currentPassword: long }],
    ['POST', '/auth/login', { email, password: 'x'.repeat(200_000) }],
  ]
  for (const [method, path, body] of bodies) {
    const needed = await leastCpu(async () => {
      t.is((await send(platform.url, { method, path, headers, body: JSON.stringify(body) })).code, 'VALIDATION_ERROR')
    })
    t.true(needed < usual * 0.5, `${path}: ${needed} ms of ${usual} ms`)
  }
})

test('who tries the leaked passwords of many accounts is stopped after a few a minute, and others are not', async (t) => {
  const env = { RATE_LIMIT_AUTH_PER_MINUTE: '20', TRUSTED_PROXIES: '1' }
  const platform = await startPlatform(t, { env })
  const someone = await newcomer(platform)
  const from = async (address: string, email: string, password: string, cookie = false) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address }
    const body = JSON.stringify({ email, password, cookie })
    return send(platform.url, { method: 'POST', path: '/auth/login', headers, body })
  }
  const tries = Array.from({ length: 60 }, (_, tried) =>
    from(`2001:db8::${tried}`, `victim-${tried}@example.com`, 'a leaked password', tried % 2 === 0),
  )
  const codes = (await Promise.all(tries)).map(({ code }) => code)
  t.is(codes.filter((code) => code === 'UNAUTHORIZED').length, 20)
  t.is(codes.filter((code) => code === 'RATE_LIMITED').length, 40)
  const late = await from('2001:db8::1', someone.email, someone.password)
  t.deepEqual([late.status, late.headers['set-cookie']], [429, undefined])
  t.true(Number(late.headers['retry-after']) > 0)
  t.is((await from('2001:db9::1', someone.email, someone.password)).status, 200)
})
