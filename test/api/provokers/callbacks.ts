import * as callbacks from '../../../api/callbacks.ts'
import * as runs from '../../../api/runs.ts'
import { agentOf } from '../../helpers/people.ts'
import { start } from '../../helpers/runs.ts'
import type { Recorder } from '../recorder.ts'
import type { Stage } from '../stage.ts'
import type { Table } from './table.ts'

export function callbacksTable({ owner, params }: Stage, { ask }: Recorder): Table {
  const { agentId = '' } = params
  /** A run that has ended and is to be posted; nobody does so here. */
  async function endedRun(): Promise<{ runId: string }> {
    const agent = await agentOf(owner, { callbackUrl: 'https://callbacks.example.com/' })
    const { id: runId } = (await start(owner, agent)).body
    await ask(owner, runs.cancelRun, { params: { runId } })
    return { runId }
  }
  return {
    listCallbacks: { done: () => ask(owner, callbacks.listCallbacks, { params: { agentId } }) },
    getCallback: { done: async () => ask(owner, callbacks.getCallback, { params: await endedRun() }) },
    retryCallback: { done: async () => ask(owner, callbacks.retryCallback, { params: await endedRun() }) },
  }
}
