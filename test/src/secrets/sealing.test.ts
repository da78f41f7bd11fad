import { randomBytes } from 'node:crypto'
import test from 'ava'
import { createSealing } from '../../../src/secrets/sealing.ts'

const key = (name: string) => ({ name, key: randomBytes(32) })
const place = { id: 'entry', column: 'vault_entries.credential' }

test('a sealed value can be opened where it belongs, and looks different every time', (t) => {
  const sealing = createSealing([key('first')])
  const sealed = sealing.seal('a secret', place)
  t.is(sealing.open(sealed, place), 'a secret')
  t.not(sealing.seal('a secret', place), sealed)
  t.false(sealed.includes('secret'))
})

test('a value that was moved to another row or column cannot be opened', (t) => {
  const sealing = createSealing([key('first')])
  const sealed = sealing.seal('a secret', place)
  t.throws(() => sealing.open(sealed, { ...place, id: 'another' }))
  t.throws(() => sealing.open(sealed, { ...place, column: 'agents.webhook_secret' }))
})

test('a value that was altered in any byte cannot be opened', (t) => {
  const sealing = createSealing([key('first')])
  const sealed = sealing.seal('a secret', place)
  const bytes = Buffer.from(sealed.slice('first.'.length), 'base64url')
  for (let index = 0; index < bytes.length; index += 1) {
    const altered = Buffer.from(bytes)
    altered[index] = (altered[index] as number) ^ 1
    t.throws(() => sealing.open(`first.${altered.toString('base64url')}`, place))
  }
})

test('a value of an older key can be opened as long as the key is configured', (t) => {
  const [older, newer] = [key('older'), key('newer')]
  const sealed = createSealing([older]).seal('a secret', place)
  t.is(createSealing([newer, older]).open(sealed, place), 'a secret')
  t.true(createSealing([newer, older]).seal('a secret', place).startsWith('newer.'))
  t.throws(() => createSealing([newer]).open(sealed, place), { message: /vault key "older"/ })
})
