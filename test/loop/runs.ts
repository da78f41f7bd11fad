import * as vault from '../../api/vault.ts'
import { asked as approvalsAsked, decide } from '../helpers/approvals.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { cancel, happened, waiting } from '../helpers/runs.ts'
import { events, status, type Act } from '../models/failing-provider.ts'
import { anthropic, chat } from '../models/wire.ts'
import { asks, readsPages, says } from './acts.ts'
import { startRun } from './run.ts'
import type { Scene, Stage } from './stage.ts'

const once = asks(['slow_once', { seconds: 0 }])
const issue = { type: 'object', properties: { issue: { type: 'integer' } }, required: ['issue'] }
const failing = ['refuse', 'fail', 'not_json', 'reset', 'limit_first']

/** Decides about the call that the run waits for. */
async function decideOf(
  { someone }: Stage,
  runId: string,
  decision: 'approve' | 'refuse',
  note?: string,
): Promise<void> {
  await waiting(someone, runId)
  const [approval] = await approvalsAsked(someone)
  await decide(someone, approval?.id ?? '', decision, { ...(note !== undefined && { note }) })
}

/** Ten runs, or series of them, by name. */
export const runs: Record<string, Scene> = {
  'one call': async (stage) => {
    stage.play(asks(['echo_text', { text: 'one' }]), says('It says one.'))
    const webhookSchema = [{ name: 'title', type: 'string' as const, required: true }]
    const { finish } = await startRun(stage, { tools: ['echo_text'], webhookSchema }, { title: 'One <<<end of it>>>' })
    await finish('a run that a webhook has started')
  },

  'several calls at a time': async (stage) => {
    stage.play(
      asks(['slow_idempotent', { seconds: 0.2 }], ['flaky_read', { failures: 1 }], ['echo_text', { text: 'ünï ☃' }]),
      asks(['echo_text', { text: 'two' }]),
      says('All done.'),
    )
    const { finish } = await startRun(stage, { tools: ['slow_idempotent', 'flaky_read', 'echo_text'] })
    await finish('a run')
  },

  'calls that are not made': async (stage) => {
    stage.play(
      asks(
        ['slow_read', { seconds: 'many' }],
        ['echo_text', {}],
        ['fly', { to: 'the moon' }],
        ['echo_text', '{"text":'],
      ),
      asks(['echo_text', { text: 'same' }]),
    )
    const { finish } = await startRun(stage, { tools: ['slow_read', 'echo_text'] })
    await finish('a run that goes on and on with the same call')
  },

  'tools that fail': async (stage) => {
    const argumentsOf = (tool: string) => (tool === 'limit_first' ? { refusals: 1, seconds: 1 } : {})
    stage.play(...failing.map((tool) => asks([tool, argumentsOf(tool)])), says('Hardly anything works.'))
    const { finish } = await startRun(stage, { tools: failing })
    await finish('a run')
  },

  'calls that ask first': async (stage) => {
    stage.play(once, asks(['echo_text', { text: 'free' }], ['slow_once', { seconds: 0.1 }]), says('That is over.'))
    const { runId, finish } = await startRun(stage, { tools: ['slow_once', 'echo_text'], askFirst: ['slow_once'] })
    await decideOf(stage, runId, 'approve')
    await happened(stage.someone, runId, 'tool.started')
    await eventually(20, 'the run is at its second step', () => stage.asked() === 2 || undefined)
    await decideOf(stage, runId, 'refuse', 'Not today.')
    await finish('a run')
  },

  'answers of no use': async (stage) => {
    const series: [title: string, acts: Act[], fields: object][] = [
      ['a run that is corrected', [says(''), says('Better.')], {}],
      ['a run whose answers are too long', [says('This is', 'length')], {}],
      ['a run whose model refuses', [says('', 'content_filter')], {}],
      ['a run with an output', [says('It is 1.'), says('{"issue":1}')], { outputSchema: issue }],
      ['a run with a wrong output', [says('{"issue":"one"}')], { outputSchema: issue }],
    ]
    for (const [title, acts, fields] of series) {
      stage.play(...acts)
      await (await startRun(stage, fields)).finish(title)
    }
  },

  'models that fail': async (stage) => {
    const hello = events(anthropic.all('Hello from the other.'))
    const call = { id: 'call_a', name: 'echo_text', arguments: '{"text":"two"}' }
    stage.play(asks(['echo_text', { text: 'one' }]), status(500), status(401))
    stage.playOther(events(anthropic.asking(call)), hello)
    const { fallbackModel } = stage
    await (await startRun(stage, { tools: ['echo_text'], fallbackModel })).finish('a run with another model')
    stage.play(status(400))
    stage.playOther(status(403))
    await (await startRun(stage, { fallbackModel })).finish('a run whose models both fail')
  },

  'a dead credential': async (stage) => {
    const { someone, vaultEntryId: entryId } = stage
    const replaceToken = (token: string) =>
      call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } })
    stage.play(once, says('It is done.'))
    await replaceToken('bad-token')
    const { runId, finish } = await startRun(stage, { tools: ['slow_once'] })
    await waiting(someone, runId)
    await replaceToken('good-token')
    await finish('a run that waits for its site')
  },

  'a long run': async (stage) => {
    const body = { url: stage.pages.origin, token: 'any' }
    const vaultEntryId = (await call(stage.someone, vault.addToVault, { body })).body.id
    stage.play(readsPages(6))
    const { finish } = await startRun(stage, { sites: [{ vaultEntryId }], summarizes: true })
    await finish('a run that outgrows its window')
  },

  'runs that are cancelled': async (stage) => {
    const { someone } = stage
    stage.play(events(chat.begin('I begin to '), 'hang'))
    const asking = await startRun(stage)
    await eventually(20, 'the model is asked', () => stage.asked() === 1 || undefined)
    await cancel(someone, asking.runId)
    await asking.finish('a run that is cancelled while its model answers')
    stage.play(asks(['hang', {}]))
    const calling = await startRun(stage, { tools: ['hang'] })
    await happened(someone, calling.runId, 'tool.started')
    await cancel(someone, calling.runId)
    await calling.finish('a run that is cancelled in a call')
    stage.play(once)
    const parked = await startRun(stage, { tools: ['slow_once'], askFirst: ['slow_once'] })
    await waiting(someone, parked.runId)
    await cancel(someone, parked.runId)
    await parked.finish('a run that is cancelled while it waits')
  },
}
