import test from 'ava'
import type { FormField } from '../../../src/forms/form.ts'
import { secretAskedFor } from '../../../src/forms/secret-words.ts'
import { longestStretch } from '../../helpers/cpu-stretch.ts'

const plain = { title: null, description: null, isRequired: true, choices: [], min: null, max: null, preset: null }
const fieldOf = (field: Partial<FormField>): FormField => ({ name: 'answer', kind: 'text', ...plain, ...field })
const asked = (message: string, ...fields: Partial<FormField>[]) =>
  secretAskedFor({ message, fields: fields.map(fieldOf) })
const choice = (...titles: string[]): Partial<FormField> => ({
  name: 'kind',
  kind: 'choice',
  choices: titles.map((title, at) => ({ value: String(at), title })),
})

const secrets: [string, ...Partial<FormField>[]][] = [
  ['', { name: 'password' }],
  ['', { name: 'userPassword2' }],
  ['', { name: 'api_key' }],
  ['', { name: 'APIKey' }],
  ['', { name: 'API-KEY' }],
  ['', { name: 'accessToken' }],
  ['', { name: 'client_secret' }],
  ['', { name: 'pin', kind: 'integer' }],
  ['', { title: 'Card number', kind: 'number' }],
  ['', { title: 'Ｐａｓｓｗｏｒｄ' }],
  ['', { description: 'The passphrase of your key' }],
  ['', { description: 'The one-time code that we sent you' }],
  ['Enter your password.', {}],
  ['We need your credit card number.', {}],
  // Divided among texts.
  ['', { title: 'API' }, { title: 'key' }],
  ['', { name: 'card' }, { name: 'number' }],
  ['', { title: 'Pass' }, { title: 'word' }],
  ['', { title: 'Your pa' }, { title: 'ssword, please' }],
  ['', { title: 'Security', description: 'code' }],
  ['Please type your pass', { title: 'word' }],
  ['', { name: '1.a', title: '1. Card' }, { name: '2.a', title: '2. number' }],
  ['', { description: 'your private' }, { title: 'and then', description: 'key' }],
  // Beside what can be typed.
  ['', { title: 'Below: your password', kind: 'boolean' }, { title: 'Answer' }],
  ['', choice('Type your', 'password'), { title: 'Answer' }],
  ['', choice('Yes', 'One-time code below'), { kind: 'integer', title: 'Answer' }],
  ['', { preset: 'your password here' }],
  ['Paste your access token.', {}],
  // Written in another way.
  ['', { title: 'pAsSwOrD' }],
  ['', { title: 'p a s s w o r d' }],
  ['P.A.S.S.W.O.R.D', {}],
  ['', { title: 'pass\u200bword' }],
  ['', { title: 'pass\u00adword' }],
  ['', { title: 'p\u3164in' }],
  ['Your pass\u2060word?', {}],
  ['', { title: 'p\u0332a\u0332s\u0332s\u0332w\u0332o\u0332r\u0332d\u0332' }],
  ['', { title: '\u{1d5c9}\u{1d5ba}\u{1d5cc}\u{1d5cc}\u{1d5d0}\u{1d5c8}\u{1d5cb}\u{1d5bd}' }],
  ['', { title: 'p\u0430ssw\u043erd' }],
  ['', { title: 'P@ssw0rd' }],
]

for (const [message, ...fields] of secrets)
  test(`a form asks for a secret: ${JSON.stringify({ message, fields })}`, (t) => {
    t.not(asked(message, ...fields), undefined)
  })

const harmless: [string, ...Partial<FormField>[]][] = [
  ['Delete the token of the build server?', { name: 'confirmed', kind: 'boolean' }],
  ['Which secret should be rotated?', { name: 'name' }],
  ['Reset your password?'],
  ['', { name: 'shipping' }],
  ['', { name: 'tokenize', title: 'Keyboard' }],
  ['', { name: 'passenger', description: 'Opinion of the passenger' }],
  ['', { name: 'password', kind: 'choice', choices: [{ value: 'keep', title: 'Keep it' }] }],
  ['', { name: 'cardholder' }],
  ['', { title: 'Delete the token?', kind: 'boolean' }, { title: 'Why?' }],
  ['', { title: 'Bypass' }, { title: 'Word count', kind: 'integer' }],
  ['Spin, or opinion', { title: 'Happiness' }, { title: 'Chopin' }],
  ['1. Which card?\n\n2. Which number?', { name: '1.size', title: '1. Size' }, { name: '2.day', title: '2. Day' }],
]

for (const [message, ...fields] of harmless)
  test(`a form asks for no secret: ${JSON.stringify({ message, fields })}`, (t) => {
    t.is(asked(message, ...fields), undefined)
  })

for (const filling of ['\ufdfa', 'aA', '4@', 'p a s s w o r ', 'a\u0332'])
  test.serial(`the largest form, full of ${JSON.stringify(filling)}, is looked through at once`, async (t) => {
    const text = filling.repeat(1000)
    const texts = { title: text.slice(0, 200), description: text.slice(0, 1000) }
    const form = Array.from({ length: 20 }, (_, at) => ({ name: `f${at}`, ...texts }))
    const times: number[] = []
    // The first one also compiles the patterns.
    for (let at = 0; at < 4; at += 1) times.push(await longestStretch(async () => asked(text.slice(0, 4000), ...form)))
    t.true(Math.min(...times) < 50, times.join(', '))
  })
