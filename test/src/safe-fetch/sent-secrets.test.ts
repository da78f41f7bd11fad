import test from 'ava'
import { jsonWithoutSecrets, withoutSecrets } from '../../../src/safe-fetch/sent-secrets.ts'

const secret = 'a/b+c="d"\\e%f~g'

test('a secret is found as it is, in an address, in a form and in JSON', (t) => {
  const inAddress = encodeURIComponent(secret)
  const inForm = new URLSearchParams({ token: secret }).toString()
  const written = {
    raw: secret,
    inAddress,
    lowercase: inAddress.replaceAll(/%../g, (code) => code.toLowerCase()),
    inForm: inForm.slice('token='.length),
    inJson: JSON.stringify(secret).slice(1, -1),
    slashed: JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  }
  for (const [how, text] of Object.entries(written))
    t.is(
      withoutSecrets(`The token ${text} and ${text}, no more.`, ['12345678', secret]),
      'The token [token] and [token], no more.',
      how,
    )
})

test('a secret is found in hex and base64, with anything before and after it', (t) => {
  const token = 'sk_live_å?>1234567890'
  t.is(withoutSecrets(Buffer.from(token).toString('hex'), [token]), '[token]')
  t.is(withoutSecrets(Buffer.from(token).toString('hex').toUpperCase(), [token]), '[token]')
  for (const before of ['', 'a', 'ab', 'user:', 'Bearer '])
    for (const after of ['', '1', '12', '123'])
      for (const encoding of ['base64', 'base64url'] as const) {
        const cleaned = withoutSecrets(Buffer.from(before + token + after).toString(encoding), [token])
        const [left = '', right = ''] = cleaned.split('[token]')
        t.true(cleaned.includes('[token]'), `${before}…${after} in ${encoding}`)
        // One character of it at either end at most.
        const known = Buffer.from(left, encoding).toString('latin1') + Buffer.from(right, encoding).toString('latin1')
        t.notRegex(known, /live|1234/)
      }
})

test('what is too short to be a secret, or contains none, stays as it is', (t) => {
  t.is(withoutSecrets('a message', ['a', '', 'message']), 'a message')
  t.is(withoutSecrets('a message', ['a messag']), '[token]e')
  t.is(withoutSecrets('a messag', ['a message']), 'a messag')
  t.is(withoutSecrets('half \ud800', ['\ud800\ud800\ud800\ud800\ud800\ud800\ud800\ud800']), 'half \ud800')
})

test('JSON stays the same JSON without the secret: numbers, spaces and other strings are as they were', (t) => {
  const text =
    '{ "n": 12345678901234567890.10, "12345678": [12345678, "x 12345678 y", "\\u0031234567\\u0038", "\\u00e9\\n"] }'
  const clean = '{ "n": 12345678901234567890.10, "[token]": [12345678, "x [token] y", "[token]", "\\u00e9\\n"] }'
  t.is(jsonWithoutSecrets(text, ['12345678']), clean)
  t.is(jsonWithoutSecrets(text, ['another one']), text)
  t.is(jsonWithoutSecrets(text, []), text)
  t.is(jsonWithoutSecrets(JSON.stringify({ [secret]: `"${secret}"` }), [secret]), '{"[token]":"\\"[token]\\""}')
})

test('a large answer is looked through in no time', (t) => {
  const long = JSON.stringify({ a: 'x'.repeat(1_000_000), b: '\\"'.repeat(200_000), c: Array(50_000).fill('y\n') })
  const before = process.threadCpuUsage()
  t.is(jsonWithoutSecrets(long, [secret]), long)
  // Of this thread, whatever else the machine does.
  t.true(process.threadCpuUsage(before).user < 2_000_000)
})
