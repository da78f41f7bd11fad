import test from 'ava'
import { mailboxOf, normalizeEmail } from '../../../src/users/email.ts'

test('an address has one spelling, and what only a mail program would read as one is none', (t) => {
  t.is(normalizeEmail(' Ada@Example.COM '), 'ada@example.com')
  for (const good of ['a.b+c@x.test', "o'hara@x.test", 'ä@bücher.example', 'a@b.c.d', '!#$%&*@x.test'])
    t.is(normalizeEmail(good), good)
  const none = ['a@x.test..', '"a"@x.test', 'a(b)@x.test', 'a.@x.test', '.a@x.test', 'a..b@x.test', 'a@x..test', 'a@x']
  for (const bad of [...none, 'a@b@x.test', 'a b@x.test', '<a@x.test>', 'a@[127.0.0.1]', 'a,b@x.test', '@x.test', ''])
    t.is(normalizeEmail(bad), undefined, bad)
})

test('a domain has one spelling, however it is written', (t) => {
  for (const written of [
    'ada@xn--bcher-kva.example',
    'ada@bu\u0308cher.example',
    'ADA@BÜCHER.EXAMPLE.',
    'ada@ｂücher.example',
  ])
    t.is(normalizeEmail(written), 'ada@bücher.example', written)
  t.is(normalizeEmail('a@xn--strae-oqa.de'), 'a@straße.de')
  t.not(normalizeEmail('a@straße.de'), normalizeEmail('a@strasse.de'))
  t.is(normalizeEmail('a@xn--a.test'), 'a@xn--a.test', 'what cannot be read is left')
})

test('what follows the at sign is a host name, and an address has no characters that only links and programs have', (t) => {
  for (const good of ['a@straße.de', '用户@例子.广告', 'a@xn--n3h.test', `a@${'a'.repeat(63)}.test`])
    t.is(normalizeEmail(good), good)
  const hosts = [
    'evil.test/path',
    'evil.test:80',
    '127.0.0.1',
    '1.0x7f',
    '-x.test',
    'x_y.test',
    '%78.test',
    '\u2603.test',
  ]
  const bad = [...hosts.map((host) => `a@${host}`), `a@${'a'.repeat(64)}.test`, 'a@\u3002x.test']
  for (const one of [...bad, 'http://x.test@evil.test', 'a\u202eb@x.test']) t.is(normalizeEmail(one), undefined, one)
})

test('addresses that reach one mailbox have one name, and others another', (t) => {
  const same = ['a@bücher.example', 'a+1@bücher.example', 'a+1+2@xn--bcher-kva.example', 'ａ@bücher.example']
  t.deepEqual(new Set(same.map(mailboxOf)), new Set(['a@xn--bcher-kva.example']))
  const google = ['a.da@gmail.com', 'ada@googlemail.com', 'a.d.a+x@gmail.com']
  t.deepEqual(new Set(google.map(mailboxOf)), new Set(['ada@gmail.com']))
  t.is(new Set(['a.da@x.test', 'ada@x.test', 'a-1@x.test', 'a@y.test', '+a@x.test'].map(mailboxOf)).size, 5)
})
