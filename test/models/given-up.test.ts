import test from 'ava'
import * as billing from '../../api/billing.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { agentOf, ended, person, timelineOf } from '../helpers/people.ts'
import { cancel, dataOf, start } from '../helpers/runs.ts'
import { watch } from '../helpers/watch.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { events } from './failing-provider.ts'
import { openProvider } from './stage-of-provider.ts'
import { anthropic, chat } from './wire.ts'

const stage = forWholeFile(test, 'calls that are given up', (t) =>
  openProvider(t, [{ protocol: 'anthropic', models: ['stating'] }, { models: ['silent'] }], {
    env: { STREAM_POLL_MS: '100' },
  }),
)

/** A run whose owner has read so many words of an answer that does not end. */
async function speaking(model: string, words: string) {
  const { platform, provider } = await stage()
  const someone = await person(platform)
  const { id } = (await start(someone, await agentOf(someone, { model }))).body
  const stream = await watch(someone, id)
  await eventually(30, 'the words are seen', () => JSON.stringify(stream.words).includes(words) || undefined)
  const ledger = async () =>
    (await call(someone, billing.listLedger, {})).body.items.filter(({ runId }) => runId === id)
  return { platform, provider, someone, id, ledger }
}

test('a run that is cancelled during an answer pays for what its provider has said that it used', async (t) => {
  const { provider } = await stage()
  provider.play('stating', [events(anthropic.begin('I have nearly done it.'), 'hang')])
  const { someone, id, ledger } = await speaking('stating', 'nearly done it.')
  await cancel(someone, id)
  t.is((await ended(someone, id, 60)).status, 'cancelled')
  const entries = await eventually(20, 'it is charged', async () => {
    const found = await ledger()
    return found.length > 0 ? found : undefined
  })
  t.is(entries.length, 1)
  t.like(entries[0], { kind: 'failed_step', step: 1 })
  t.like(await ended(someone, id, 5), { inputTokens: 2000, credits: -entries[0]!.credits })
})

test('an answer that a stopping worker gives up is charged, estimated if nothing was stated, and asked again', async (t) => {
  const { platform, provider } = await stage()
  provider.play('silent', [events(chat.begin('Half of it is said.'), 'hang'), events(chat.all('Done.'))])
  const { someone, id, ledger } = await speaking('silent', 'Half of it is said.')
  await platform.stopWorker()
  await platform.startWorker()
  t.like(await ended(someone, id, 150), { status: 'completed', steps: 1 })
  const [failed] = dataOf(await timelineOf(someone, id), 'step.failed')
  t.like(failed, { attempt: 1, willRetry: true, outputTokens: 5, credits: 1 })
  t.true(Number(failed?.['inputTokens']) > 50, 'the prompt is estimated')
  t.deepEqual((await ledger()).map(({ kind }) => kind).toSorted(), ['failed_step', 'step'])
})
