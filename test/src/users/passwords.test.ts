// @promise passwords
import { parseOptions } from '@node-rs/argon2'
import test from 'ava'
import { createPasswords, owaspCost, readNewPassword } from '../../../src/users/passwords.ts'
import { cheapCost } from '../../helpers/passwords.ts'

const passwords = createPasswords(owaspCost)

test('passwords are hashed at the cost that OWASP names, and comparing for unknown users costs as much', async (t) => {
  const hash = await passwords.hash('correct horse battery')
  t.true(hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))
  t.deepEqual(parseOptions(owaspCost.dummyHash), parseOptions(hash))
})

test('without a stored hash no password is right, also not the one that belongs to the hash of nobody', async (t) => {
  const cheap = createPasswords(cheapCost)
  t.true(await cheap.verify(cheapCost.dummyHash, 'nobody’s password'))
  for (const password of ['nobody’s password', 'correct horse battery', ''])
    t.false(await cheap.verify(undefined, password))
})

test('two ways to type one letter are one password, and nothing after the 72nd byte is lost', async (t) => {
  const stored = await passwords.hash(readNewPassword('pässword pässword', 'password'))
  t.true(await passwords.verify(stored, 'pa\u0308ssword pässword'))
  const long = await passwords.hash(readNewPassword(`${'x'.repeat(80)}1`, 'password'))
  t.true(await passwords.verify(long, `${'x'.repeat(80)}1`))
  t.false(await passwords.verify(long, `${'x'.repeat(80)}2`))
})

for (const [what, unfit] of Object.entries({
  'of nine characters': 'x'.repeat(9),
  'of nine characters that look like more': 'e\u0301'.repeat(9),
  'of 257 characters': 'x'.repeat(257),
  'of a million characters': 'x'.repeat(1_000_000),
  'with a NUL': 'correct\0horse battery',
  'with half a surrogate pair': 'correct horse \ud83d battery',
}))
  test(`a new password ${what} is refused`, (t) => {
    const error = t.throws(() => readNewPassword(unfit, 'newPassword'))
    t.like(error, { code: 'VALIDATION_ERROR', details: { 0: { path: 'newPassword' } } })
  })

test('a new password of 10 or of 256 characters is accepted, whatever the characters', (t) => {
  t.is(readNewPassword('x'.repeat(10), 'password').length, 10)
  t.is(Array.from(readNewPassword('🐎'.repeat(256), 'password')).length, 256)
})

test('a flood of logins is turned away instead of queued without end, and the rest is served', async (t) => {
  // How many may wait does not depend on what each costs.
  const own = createPasswords(cheapCost)
  const tries = Array.from({ length: 220 }, () => own.verify(undefined, 'correct horse battery'))
  const results = await Promise.allSettled(tries)
  const refused = results.filter((result) => result.status === 'rejected')
  t.is(refused.length, 20)
  t.true(refused.every(({ reason }) => reason.code === 'RATE_LIMITED' && reason.retryAfter > 0))
  t.false(await own.verify(undefined, 'correct horse battery'))
})

test('whoever tries many passwords does not hold up those of another network', async (t) => {
  const own = createPasswords(cheapCost)
  const order: string[] = []
  const verified = (network: string) =>
    own.verify(undefined, 'correct horse battery', network).then(() => void order.push(network))
  const flood = Array.from({ length: 100 }, () => verified('198.51.100.1'))
  const other = verified('203.0.113.1')
  await Promise.all([...flood, other])
  // Threads of a busy machine do not end in the order in which they began.
  t.true(order.indexOf('203.0.113.1') < 90, `as number ${order.indexOf('203.0.113.1')}`)
})
