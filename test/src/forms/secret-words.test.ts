import test from 'ava'
import type { FormField } from '../../../src/forms/form.ts'
import { secretAskedFor } from '../../../src/forms/secret-words.ts'

const asked = (message: string, field?: Partial<FormField>) => {
  const plain = { title: null, description: null, isRequired: true, choices: [], min: null, max: null, preset: null }
  const fields: FormField[] = field ? [{ name: 'answer', kind: 'text', ...plain, ...field }] : []
  return secretAskedFor({ message, fields })
}

const secrets: [string, Partial<FormField>][] = [
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
]

for (const [message, field] of secrets)
  test(`a form asks for a secret: ${JSON.stringify({ message, ...field })}`, (t) => {
    t.not(asked(message, field), undefined)
  })

const harmless: [string, Partial<FormField>?][] = [
  ['Delete the token of the build server?', { name: 'confirmed', kind: 'boolean' }],
  ['Which secret should be rotated?', { name: 'name' }],
  ['Reset your password?'],
  ['', { name: 'shipping' }],
  ['', { name: 'tokenize', title: 'Keyboard' }],
  ['', { name: 'passenger', description: 'Opinion of the passenger' }],
  ['', { name: 'password', kind: 'choice', choices: [{ value: 'keep', title: 'Keep it' }] }],
  ['', { name: 'cardholder' }],
]

for (const [message, field] of harmless)
  test(`a form asks for no secret: ${JSON.stringify({ message, ...field })}`, (t) => {
    t.is(asked(message, field), undefined)
  })
