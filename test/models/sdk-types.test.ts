import Anthropic from '@anthropic-ai/sdk'
import test from 'ava'
import OpenAI from 'openai'
import { forWholeFile } from '../helpers/whole-file.ts'
import { openContract } from './contract.ts'
import { providerOf, type Provider } from './providers.ts'
import { complaintsAbout, type Typed } from './sdk-types.ts'
import { plainChat } from './servers/chat.ts'

type Body = Record<string, unknown>

/** How the SDK of a provider types a request, and how it sends one. */
interface Checked {
  name: string
  provider: Provider
  type: string
  send: (fetch: typeof globalThis.fetch, body: Body) => Promise<unknown>
}

const openai = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: 'any', fetch, maxRetries: 0 })
const responses = {
  type: `import('openai').OpenAI.Responses.ResponseCreateParams`,
  send: (fetch: typeof globalThis.fetch, body: Body) => openai(fetch).responses.create(body),
}

const checked: Checked[] = [
  { name: 'responses', provider: providerOf('OpenAI (Responses)'), ...responses },
  { name: 'azure', provider: providerOf('Azure'), ...responses },
  {
    name: 'chat',
    provider: { ...providerOf('OpenAI-compatible'), format: plainChat },
    type: `import('openai').OpenAI.ChatCompletionCreateParams`,
    send: (fetch, body) => openai(fetch).chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParams),
  },
  {
    name: 'messages',
    provider: providerOf('Anthropic'),
    type: `import('@anthropic-ai/sdk').Anthropic.MessageCreateParams`,
    send: (fetch, body) =>
      new Anthropic({ apiKey: 'any', fetch, maxRetries: 0 }).messages.create(
        body as unknown as Anthropic.MessageCreateParams,
      ),
  },
]

const asked = checked.flatMap(({ name, provider }) =>
  [true, false].map((stream) => ({ name: `${name}-${stream ? 'stream' : 'whole'}`, provider, stream })),
)
const open = forWholeFile(test, 'types', (t) => openContract(t, asked))

/** Every request of two runs, one streamed and one not. */
async function bodiesOf({ name }: Checked): Promise<Body[]> {
  const contract = await open()
  const runs = await Promise.all([contract.carriedOut(`${name}-stream`), contract.carriedOut(`${name}-whole`)])
  return runs.flatMap(({ relay }) => relay.bodies())
}

test('every request has the type that the SDK of its provider wants, and no member that it does not know', async (t) => {
  const typed = await Promise.all(
    checked.map(async (one): Promise<Typed[]> => {
      const bodies = await bodiesOf(one)
      return bodies.map((body, index) => ({ name: `${one.name}${index}`, type: one.type, body }))
    }),
  )
  // What the check is worth: a member more, at the top or deep inside, is found.
  const strays = typed.flatMap(([first]) =>
    first ? [{ ...first, name: `${first.name}-stray`, body: { ...first.body, surplus: 1 } }] : [],
  )
  const deep = typed.flatMap(([first]) =>
    first ? [{ ...first, name: `${first.name}-deep`, body: withDeepStray(first.body) }] : [],
  )
  const wrong = [...strays, ...deep]
  const complaints = await complaintsAbout(t, [...typed.flat(), ...wrong])
  t.is(typed.flat().length, checked.length * 8)
  for (const { name } of typed.flat()) t.deepEqual(complaints[name], [], name)
  for (const { name } of wrong) t.is(complaints[name]?.length, 1, name)
})

const withDeepStray = (body: object): object => {
  const [first, ...others] = (body as { tools: object[] }).tools
  return { ...body, tools: [{ ...first, surplus: 1 }, ...others] }
}

for (const one of checked) {
  test(`every request passes through the SDK of its provider unchanged (${one.name})`, async (t) => {
    const bodies = await bodiesOf(one)
    t.is(bodies.length, 8)
    for (const body of bodies) {
      const sent: string[] = []
      const fetch: typeof globalThis.fetch = (_, init) => {
        sent.push(init?.body as string)
        return Promise.resolve(Response.json({}))
      }
      await one.send(fetch, body)
      t.is(sent.length, 1)
      t.deepEqual(JSON.parse(sent[0] ?? ''), body)
    }
  })
}
