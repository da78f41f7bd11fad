import test from 'ava'
import { openContract } from './contract.ts'
import { providerOf } from './providers.ts'
import { complaintsAbout } from './sdk-types.ts'
import { plainChat } from './servers/chat.ts'

const responses = `import('openai').OpenAI.Responses.ResponseCreateParams`

/** How the SDK of a provider types a request. */
const checked = [
  { name: 'responses', provider: providerOf('OpenAI (Responses)'), type: responses },
  { name: 'azure', provider: providerOf('Azure'), type: responses },
  {
    name: 'chat',
    provider: { ...providerOf('OpenAI-compatible'), format: plainChat },
    type: `import('openai').OpenAI.ChatCompletionCreateParams`,
  },
  {
    name: 'messages',
    provider: providerOf('Anthropic'),
    type: `import('@anthropic-ai/sdk').Anthropic.MessageCreateParams`,
  },
].flatMap((one) => [true, false].map((stream) => ({ ...one, stream, name: `${one.name}-${stream}` })))

test('every request has the type that the SDK of its provider wants, and no member that it does not know', async (t) => {
  const contract = await openContract(t, checked)
  const typed = await Promise.all(
    checked.map(async ({ name, type }) => {
      const { relay } = await contract.carriedOut(name)
      return relay.bodies().map((body, index) => ({ name: `${name}${index}`, type, body }))
    }),
  )
  // What the check is worth: a member more, at the top or deep inside, is found.
  const wrong = typed.flatMap(([{ name, type, body } = t.fail()]) => {
    const [first, ...others] = body['tools'] as object[]
    const deep = { ...body, tools: [{ ...first, surplus: 1 }, ...others] }
    return [
      { name: `${name}-stray`, type, body: { ...body, surplus: 1 } },
      { name: `${name}-deep`, type, body: deep },
    ]
  })
  const complaints = await complaintsAbout(t, [...typed.flat(), ...wrong])
  t.is(typed.flat().length, checked.length * 4)
  for (const { name } of typed.flat()) t.deepEqual(complaints[name], [], name)
  for (const { name } of wrong) t.is(complaints[name]?.length, 1, name)
})
