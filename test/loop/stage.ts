import type { ExecutionContext, TestFn } from 'ava'
import { startBadTools } from '../../examples/sites/bad-tools/server.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { connectBadTools, customer } from '../helpers/people.ts'
import { startPageSite } from '../helpers/page-site.ts'
import type { Act } from '../models/failing-provider.ts'
import { sharedModels } from '../models/shared-models.ts'
import { createPlain } from './plain.ts'
import { promptLines } from './prompts.ts'

/** Plays a scene, and records it. */
export type Scene = (stage: Stage) => Promise<void>

/** The name of a scene's second model. */
const otherOf = (name: string): string => `other-${name}`

/** Declares the stage for scenes with these names, each of which has a model of its own name. */
export function recordingStage(test: TestFn, names: string[]) {
  const small = { contextTokens: 3500, maxOutputTokens: 500 }
  const models = sharedModels(test, {
    chat: names.map((name) => ({ id: name, ...(name === 'runs-a-long-run' && small) })),
    anthropic: names.map(otherOf),
  })
  return async (t: ExecutionContext, name: string) => openStage(t, name, await models())
}

export type Stage = Awaited<ReturnType<typeof openStage>>

async function openStage(
  t: ExecutionContext,
  model: string,
  { platform, provider }: Awaited<ReturnType<ReturnType<typeof sharedModels>>>,
) {
  const tls = await temporaryCertificates()
  const [badTools, pages] = [await startBadTools({ port: 0, tls }), await startPageSite(tls, 3000)]
  t.teardown(badTools.close)
  t.teardown(pages.close)
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, { badTools })
  const fallbackModel = otherOf(model)
  const plain = createPlain([
    [fallbackModel, 'other-model'],
    [model, 'own-model'],
    [new URL(badTools.origin).host, 'bad-tools.example.com'],
    [new URL(pages.origin).host, 'pages.example.com'],
  ])
  const recording: string[] = []
  const note = (title: string, lines: string[]) =>
    void recording.push(...(recording.length > 0 ? [''] : []), `# ${title}`, ...lines)

  function requestLines(): string[] {
    const received = badTools.requests().map(({ tool, idempotencyKey, status }) => ({ idempotencyKey, tool, status }))
    // Calls of one step arrive in any order.
    return received.map(plain.line).toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }))
  }

  return {
    platform,
    someone,
    vaultEntryId,
    pages,
    model,
    fallbackModel,
    /** What the scene's model does, request by request. */
    play: (...acts: Act[]) => provider.play(model, acts),
    playOther: (...acts: Act[]) => provider.play(fallbackModel, acts),
    asked: () => provider.requestsOf(model).length,
    note,
    ...plain,
    /** After the scene: what clients saw, what the models were asked, and which calls the site got, line by line. */
    finish(): string[] {
      for (const one of [model, fallbackModel]) {
        const bodies = provider.requestsOf(one).map(({ body }) => body)
        if (bodies.length > 0) note(plain.plain(`what ${one} was asked`), promptLines(bodies, plain))
      }
      if (badTools.requests().length > 0) note('calls that the site got', requestLines())
      return recording
    },
  }
}
