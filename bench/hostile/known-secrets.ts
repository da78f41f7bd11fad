import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as sessions from '../../api/sessions.ts'
import * as vault from '../../api/vault.ts'
import { call, sendRaw } from '../../test/helpers/client.ts'
import type { Person } from '../../test/helpers/people.ts'

const mebibyte = 1024 * 1024
const longest = 8192
/** The most sites of a session. With the platform's own secrets this makes 500. */
export const mostSites = 50
const ownSecrets = 450

type Kind = Record<string, (index: number) => string>

/** Tokens of sites. The owner of a session chooses them, and may make them similar. */
const tokens: Kind = {
  usual: () => `sk_live_${randomBytes(30).toString('base64url')}`,
  long: () => randomBytes(longest).toString('base64url').slice(0, longest),
  'that begin alike': (index) => `${'a'.repeat(500)}${index}${'b'.repeat(7600)}`,
  'that end alike': (index) => `${index + 10}${'a'.repeat(8000)}`,
}

/** A MODELS_FILE with the demo model, a provider that has many keys, and a provider whose output the test sets. */
export function writeModels(folder: string, modelPort: number): string {
  const keys = Array.from({ length: ownSecrets }, (_, index) => [
    `x-key-${index}`,
    randomBytes(30).toString('base64url'),
  ])
  const speaker = { kind: 'openai-compatible', baseUrl: `http://127.0.0.1:${modelPort}/v1` }
  const models = (id: string) => [{ id, contextTokens: 1_000_000 }]
  const providers = [
    { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] },
    { name: 'speaker', ...speaker, models: models('speaker') },
    { name: 'keys', ...speaker, headers: Object.fromEntries(keys), models: models('unused') },
  ]
  const file = join(folder, 'models.json')
  writeFileSync(file, JSON.stringify({ default: 'demo', providers }))
  return file
}

interface Around {
  /** An owner without sites. */
  newOwner: () => Promise<Person>
  origins: readonly string[]
  publish: (answers: { result: string }) => Promise<void>
  tell: (text: string) => Promise<void>
}

/** Searches of a mebibyte for 500 secrets: in direct calls, in chats, and in a model's answer. */
export function knownSecrets(around: Around): Record<string, Record<string, () => Promise<unknown>>> {
  const kinds = Object.entries(tokens).map(([name, tokenOf]) => [name, createOwner(around, tokenOf)] as const)
  const eachKind = (way: keyof ReturnType<typeof createOwner>) =>
    Object.fromEntries(kinds.map(([name, owner]) => [name, owner[way]]))
  return {
    '500 secrets in the result of a direct call': eachKind('callDirectly'),
    '500 secrets in results of a chat': eachKind('chatOfResults'),
    '500 secrets in messages of a chat': eachKind('chatOfWords'),
    "500 secrets in a model's answer": eachKind('listen'),
  }
}

function createOwner({ newOwner, origins, publish, tell }: Around, tokenOf: (index: number) => string) {
  const secrets = origins.map((_, index) => tokenOf(index))
  const [first = ''] = secrets
  const near = `${first.slice(0, 300).slice(0, -1)}! `
  /** A text of the greatest length that is almost a secret throughout, with a secret at its end. */
  const textOf = (length: number) =>
    `${near.repeat(Math.ceil(length / near.length)).slice(0, length - longest - 1000)} ${first}`
  const result = JSON.stringify({ a: textOf(mebibyte) })
  let connected: ReturnType<typeof connect> | undefined

  async function connect() {
    const owner = await newOwner()
    const entryIds: string[] = []
    for (const [index, url] of origins.entries())
      entryIds.push((await call(owner, vault.addToVault, { body: { url, token: secrets[index] ?? '' } })).body.id)
    return { owner, entryIds }
  }

  async function open(model: string | null = null) {
    const { owner, entryIds } = await (connected ??= connect())
    const sites = entryIds.map((vaultEntryId, index) => ({ vaultEntryId, ...(index > 0 && { tools: [] }) }))
    const { token } = (await call(owner, sessions.createSession, { body: { model, sites } })).body
    const headers = { 'x-session-token': token, 'content-type': 'application/json', accept: 'application/json' }
    const url = `${owner.url}/chat/messages`
    return {
      say: async (text: string) =>
        hidden(await sendRaw(url, { method: 'POST', headers, body: JSON.stringify({ text }) })),
      read: () => sendRaw(`${url}?limit=100`, { headers }),
    }
  }

  /** Throws if the response contains the secret or is not a success. */
  function hidden({ status, bytes }: Awaited<ReturnType<typeof sendRaw>>): string {
    const text = bytes.toString()
    if (status >= 300) throw new Error(`status ${status}: ${text.slice(0, 300)}`)
    if (text.includes(first)) throw new Error('the answer holds a secret')
    return text
  }

  return {
    async callDirectly(): Promise<void> {
      const { owner, entryIds } = await (connected ??= connect())
      await publish({ result })
      const headers = {
        authorization: `Bearer ${owner.token}`,
        'content-type': 'application/json',
        'idempotency-key': crypto.randomUUID(),
      }
      const url = `${owner.url}/vault/${entryIds[0]}/tools/act/call`
      const text = hidden(await sendRaw(url, { method: 'POST', headers, body: '{}' }))
      if (!text.includes('[token]')) throw new Error(`no secret was found: ${text.slice(-300)}`)
      await publish({ result: '{}' })
    },

    async chatOfResults(): Promise<void> {
      await publish({ result })
      const { say, read } = await open()
      for (let count = 0; count < 3; count += 1) await say(`[[call act {"n":${count}}]]`)
      await say('And now?')
      await read()
      await publish({ result: '{}' })
    },

    async chatOfWords(): Promise<void> {
      const { say } = await open()
      for (let count = 0; count < 5; count += 1) await say(textOf(100_000).slice(0, 99_000))
    },

    async listen(): Promise<void> {
      await tell(textOf(mebibyte))
      const { say } = await open('speaker')
      const text = await say('Speak.')
      if (!text.includes('[token]')) throw new Error(`no secret was found: ${text.slice(-300)}`)
    },
  }
}
