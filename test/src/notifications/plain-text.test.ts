import test from 'ava'
import { harmlessAddress, harmlessName } from '../../../src/notifications/plain-text.ts'

test('a name is quoted to strangers only if it could be no message', (t) => {
  for (const name of ['Support', "Ada's team", 'Müller & Söhne (Wien)', 'Acme Inc.', '日本の会社', 'Team 2026'])
    t.is(harmlessName(name), name)
  const messages = [
    'Your account is locked, go to evil.test',
    'https://evil.test/login',
    'ada@evil.test',
    'evil。test',
    'evil．test',
    'call 0800 123456',
    'two\nlines',
    'x'.repeat(41),
    '<b>bold</b>',
    'Click here: now',
  ]
  for (const name of messages) t.is(harmlessName(name), undefined, name)
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
