import type { ExecutionContext } from 'ava'
import { startChatServer, type ChatRequest } from '../../helpers/chat-server.ts'
import { eventually } from '../../helpers/eventually.ts'
import { connectBadTools, customer, person } from '../../helpers/people.ts'
import { modelsEnvironment } from '../../models/stage.ts'
import { startTalker, type Talker } from '../../models/talker.ts'
import { openStage } from '../../helpers/runs.ts'
import { openSession } from '../stage.ts'
import { lastWords, type Page } from './page.ts'

/** The words of a message to a model. */
const textIn = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : ((content as { text?: string }[] | null) ?? []).map(({ text = '' }) => text).join(' ')

/**
 * A platform with the demo model, with models whose words the tests say (`talking`), and with `observant`: it says which
 * number its answer has, and what it sees of the conversation; of its own answers, the numbers.
 */
export async function openWorld(t: ExecutionContext, talking: string[] = []) {
  let answers = 0
  const observe = ({ messages }: ChatRequest) => {
    const said = messages.filter(({ role }) => role !== 'system').map(({ content }) => textIn(content))
    return { text: `#${(answers += 1)} saw ${said.map((text) => text.split(' saw ')[0]).join(', ')}.` }
  }
  const observer = await startChatServer(observe)
  t.teardown(observer.close)
  const talker = await startTalker(t)
  const providers = [
    { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] },
    {
      name: 'observer',
      kind: 'openai-compatible',
      baseUrl: observer.url,
      models: [{ id: 'observant', price: { input: 1, output: 1 } }],
    },
    ...(talking.length > 0 ? [talker.provider(talking)] : []),
  ]
  const env = modelsEnvironment(t, providers, 'demo')
  const stage = await openStage(t, { worker: false, env })
  const sessionOf = async (body: object = {}) => openSession(await person(stage.platform), body)

  /** A session that may use the misbehaving tools, and its owner. */
  async function toolSession(choice: { tools: string[]; askFirst?: string[] }, body: object = {}) {
    const owner = await customer(stage.platform)
    const vaultEntryId = await connectBadTools(owner, stage.sites)
    return { owner, session: await openSession(owner, { sites: [{ vaultEntryId, ...choice }], ...body }) }
  }

  return { ...stage, env, talker, sessionOf, toolSession }
}

/** Sends a message from a page, and waits until the page shows the first words, which the test says. */
export async function sendAndHear(talker: Talker, page: Page, { model, text, number }: Heard) {
  const sent = page.chat.sendMessage({ text: 'Tell me.' })
  const speaking = await talker.call(model, number ?? 1)
  speaking.say(text)
  await shows(page, text)
  return { sent, speaking }
}

interface Heard {
  model: string
  text: string
  /** Of the model's call, from 1. */
  number?: number
}

/** Waits until the last answer on a page is this one. */
export const shows = (page: Page, text: string): Promise<true> =>
  eventually(20, `the page shows ${text}`, () => lastWords(page) === text || undefined)
