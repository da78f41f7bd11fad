import type { ExecutionContext, TestFn } from 'ava'
import { allOf } from '../helpers/all-of.ts'
import { startFailingProvider, type Act, type FailingProvider } from './failing-provider.ts'
import { startObserver } from './observer.ts'
import { openModels } from './stage.ts'
import { startTalker, type Talker } from './talker.ts'
import { kindOf, type Protocol } from './wire.ts'

/** How a model is asked; `whole` in one piece. */
type Asked = Protocol | `${Protocol}-whole`

/** How many models without a name there are of each, for the tests of a process. */
const counts: Record<Asked, number> = {
  chat: 60,
  anthropic: 20,
  responses: 10,
  'chat-whole': 25,
  'anthropic-whole': 5,
  'responses-whole': 5,
}

/** How many models there are whose words tests say, and which each test has for itself. */
const talking = 60

const env = {
  RECONCILE_SECONDS: '1',
  SITE_ALLOW: '127.0.0.0/8,::1/128',
  OUTGOING_PER_MINUTE: '1000',
  STREAM_POLL_MS: '100',
  STREAM_CHECK_SECONDS: '0.5',
  // Long runs read many pages, one a step.
  RUN_STEPS: '50',
}

interface Stage extends Awaited<ReturnType<typeof openModels>> {
  provider: FailingProvider
  talker: Talker
  talking: () => string
  /** A model of its own for a test, which acts so. */
  play: (acts: Act[], asked?: Asked) => string
}

/** Models that a file knows by a name which no other file uses, perhaps with what MODELS_FILE says of them besides. */
type Named = Partial<Record<Asked, (string | ({ id: string } & Record<string, unknown>))[]>>

const named: Named = {}
const teardowns: (() => unknown)[] = []
let files = 0
let stage: Promise<Stage> | undefined

/**
 * Declares that the tests of a file use models of one scripted server, at one platform with a worker, which all such
 * files of a process share. It is stopped after the last test of the last of them.
 */
export function sharedModels(test: TestFn, names: Named = {}): () => Promise<Stage> {
  files += 1
  for (const [asked, more] of Object.entries(names)) {
    const before = named[asked as Asked] ?? []
    named[asked as Asked] = [...before, ...more]
  }
  test.after.always(async () => {
    files -= 1
    if (files > 0) return
    stage = undefined
    await allOf(teardowns.splice(0).toReversed())
  })
  return () => (stage ??= open())
}

async function open(): Promise<Stage> {
  // A platform needs only these two of a test's context.
  const context = { title: 'shared models', teardown: (work: () => unknown) => void teardowns.push(work) }
  const t = context as unknown as ExecutionContext
  const provider = await startFailingProvider(t)
  const talker = await startTalker(t)
  const spoken = Array.from({ length: talking }, (_, index) => `talking-${index}`)
  const scripted = Object.entries(counts).map(([asked, count]) => ({
    name: asked,
    kind: kindOf[protocolOf(asked as Asked)],
    baseUrl: provider.url,
    apiKeyEnv: 'THE_KEY',
    models: [...Array.from({ length: count }, (_, index) => `${asked}-${index}`), ...(named[asked as Asked] ?? [])].map(
      (one) => ({
        price: { input: 1, output: 2 },
        stream: !asked.endsWith('-whole'),
        ...(typeof one === 'string' ? { id: one } : one),
      }),
    ),
  }))
  const demo = { name: 'demo', kind: 'demo', models: [{ id: 'demo' }] }
  const providers = [demo, talker.provider(spoken), await startObserver(t), ...scripted]
  const next = new Map<Asked, number>()
  return {
    provider,
    talker,
    ...(await openModels(t, providers, { env, default: 'demo' })),
    /** A model of its own for a test, whose words the test says. */
    talking() {
      const model = spoken.pop()
      if (model === undefined) throw new Error(`there are only ${talking} models that talk`)
      return model
    },
    play(acts, asked = 'chat') {
      const number = next.get(asked) ?? 0
      if (number >= counts[asked]) throw new Error(`there are only ${counts[asked]} models of ${asked}`)
      next.set(asked, number + 1)
      const model = `${asked}-${number}`
      provider.play(model, acts)
      return model
    },
  }
}

const protocolOf = (asked: Asked): Protocol => asked.split('-')[0] as Protocol
