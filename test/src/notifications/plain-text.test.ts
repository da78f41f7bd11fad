import test from 'ava'
import { harmlessAddress, harmlessName } from '../../../src/notifications/plain-text.ts'

for (const name of ['Support', "Ada's team", 'Müller & Söhne (Wien)', 'Acme Inc.', '日本の会社', 'Team 2026'])
  test(`the name ${name} is harmless`, (t) => {
    t.is(harmlessName(name), name)
  })

for (const name of [
  'Your account is locked, go to evil.test',
  'https://evil.test/login',
  'www.evil.test',
  'ada@evil.test',
  'evil。test',
  'evil．test',
  'call 0800 123456',
  'two\nlines',
  'x'.repeat(41),
  '<b>bold</b>',
  'Click here: now',
])
  test(`${JSON.stringify(name)} could be a message, and is not quoted to strangers`, (t) => {
    t.is(harmlessName(name), undefined)
  })

test('an address is quoted to strangers only if it could be no message', (t) => {
  for (const good of ['ada@example.com', 'ada.b-c_d+e@x.example.com', '1@x.test']) t.is(harmlessAddress(good), good)
  for (const bad of [
    'www.evil.test/reset-your-password@own.test',
    'www.evil.test@own.test',
    'a?b@x.test',
    "o'hara@x.test",
    'ä@x.test',
    `${'a'.repeat(58)}@x.test`,
    '',
  ])
    t.is(harmlessAddress(bad), undefined, bad)
})
