import test from 'ava'
import { Secret } from 'otpauth'
import { addressOf, hashRecoveryCode, newRecoveryCodes, newSecret, stepOf } from '../../../src/users/totp.ts'

test('codes are those of RFC 6238, appendix B', (t) => {
  const secret = Secret.fromUTF8('12345678901234567890').base32
  const known: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of known) {
    const step = Math.floor(seconds / 30)
    t.is(stepOf(secret, code, new Date(seconds * 1000)), step, code)
    t.is(stepOf(secret, code, new Date((seconds + 30) * 1000)), step, `${code}, a step later`)
    t.is(stepOf(secret, code, new Date((seconds - 30) * 1000)), step, `${code}, a step earlier`)
    t.is(stepOf(secret, code, new Date((seconds + 60) * 1000)), undefined)
    t.is(stepOf(secret, code, new Date((seconds - 60) * 1000)), undefined)
  }
  for (const odd of ['', '28708', '2870822', '287082 ', '２８７０８２', '28708a'])
    t.is(stepOf(secret, odd, new Date(59_000)), undefined)
})

test('a secret has 160 bits, and the address for apps names the installation and the account', (t) => {
  const secret = newSecret()
  t.regex(secret, /^[A-Z2-7]{32}$/)
  t.not(newSecret(), secret)
  const address = new URL(addressOf(secret, { host: 'switchyard.example', email: "o'brien+x@example.com" }))
  t.is(address.protocol, 'otpauth:')
  t.is(decodeURIComponent(address.pathname.slice(1)), "Switchyard switchyard.example:o'brien+x@example.com")
  t.is(address.searchParams.get('secret'), secret)
})

test('recovery codes are ten different ones, and are known again however they are written', (t) => {
  const codes = newRecoveryCodes()
  t.is(new Set(codes).size, 10)
  for (const code of codes) t.regex(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
  const [code = ''] = codes
  for (const written of [code.toUpperCase(), code.replaceAll('-', ''), code.replaceAll('-', ' ')])
    t.is(hashRecoveryCode(written), hashRecoveryCode(code))
})
