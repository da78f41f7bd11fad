import type { ExecutionContext } from 'ava'
import type { Run } from '../../../src/runs/run.ts'
import { ToolCall } from '../../../src/tools/tool-call.ts'
import { agentOf, connectBadTools, customer } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'
import { start } from '../../helpers/runs.ts'
import { startBadTools } from '../../../examples/sites/bad-tools/server.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'

/** A site, and a platform without a worker, of the file's own unless one is given: its tests act in the place of workers. */
export async function openLate(t: ExecutionContext, given?: Platform) {
  const badTools = await startBadTools({ port: 0, tls: await temporaryCertificates() })
  t.teardown(badTools.close)
  const platform = given ?? (await startPlatform(t))
  return { sites: { badTools }, platform, services: platform.services }
}

export type Late = Awaited<ReturnType<typeof openLate>>

export const never = new AbortController().signal

/** A run of an owner and an agent of its own, claimed, and waiting for its first model step. */
export async function claimed({ sites, platform, services }: Late, systemPrompt: string) {
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  // What another agent may call there, and has to ask for, is of no account.
  await agentOf(someone, { sites: [{ vaultEntryId, askFirst: ['slow_once', 'slow_idempotent', 'slow_read'] }] })
  await start(someone, agent)
  const run = await services.runs.queue.claimNext(agent.id)
  if (!run) throw new Error('there was nothing to claim')
  return { someone, vaultEntryId, run }
}

/** The same after its first step, which has asked for one call of the tool. */
export async function planned(late: Late, tool = 'slow_idempotent') {
  const { services } = late
  const { run, ...rest } = await claimed(late, `[[call ${tool} {"seconds":0}]]`)
  const move = await services.runs.steps.advance(run, never)
  const [call] = move.kind === 'tools' ? move.calls : []
  if (!call) throw new Error('no call was asked for')
  const { callId } = call
  return {
    ...rest,
    run,
    callId,
    read: () => ToolCall.query(services.database).findOne({ subjectId: run.runId, id: callId }).throwIfNotFound(),
  }
}

/** All that is on record of a run and of the queue it is in. */
export async function recordOf({ services }: Late, { runId, agentId }: { runId: string; agentId: string }) {
  const { database } = services
  return {
    run: (await database('runs').where({ id: runId }).first()) as Run,
    queue: await database('agentQueues').where({ agentId }).first<{ unfinished: number }>(),
    steps: await database('runSteps').where({ runId }).orderBy('step'),
    calls: (await database('runToolCalls').where({ runId }).orderBy('id')) as ToolCall[],
    events: (await database('runEvents').where({ runId }).orderBy('number')) as { kind: string }[],
    charges: await database('ledgerEntries').where({ runId }),
    callbacks: await database('callbacks').where({ runId }),
  }
}
