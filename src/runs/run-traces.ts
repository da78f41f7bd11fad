import type { Config } from '../config/config.ts'
import type { Database, Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { names, spanNames } from '../tracing/names.ts'
import { readTraceparent, spanOfRun } from '../tracing/traceparent.ts'
import type { PastSpan, Tracing } from '../tracing/tracing.ts'
import { Run } from './run.ts'
import type { EndReason, RunStatus } from './states.ts'

interface Ended {
  status: RunStatus
  reason: EndReason | null
  endedAt: Date
}

export type RunTraces = ReturnType<typeof createRunTraces>

/**
 * The spans of runs. What happens in a run is recorded by the process that does it, below a span whose id follows from
 * the run's. That span itself is recorded once the run has ended, by the process that ended it.
 */
export function createRunTraces(context: { database: Database; config: Pick<Config, 'models'>; tracing: Tracing }) {
  const { database, config, tracing } = context

  /** A model that was configured when the run asked it. */
  const providerOf = (model: string): string | undefined =>
    config.models.models.find(({ name }) => name === model)?.provider

  async function endingSpans(run: Run, { status, reason, endedAt }: Ended): Promise<PastSpan[]> {
    const ref = spanOfRun(run)
    const { rows } = await factsStatement(database, { runId: run.id })
    if (!ref || !rows[0]) return []
    const { agentName, model, original, originalId } = rows[0]
    const asked = model ?? config.models.default
    const replayed = originalId === null ? undefined : spanOfRun({ id: originalId, traceparent: original })
    const span: PastSpan = {
      name: spanNames.run(agentName),
      parent: readTraceparent(run.traceparent),
      spanId: ref.spanId,
      links: replayed ? [replayed] : [],
      startedAt: run.acceptedAt,
      endedAt,
      failed: status === 'failed' ? reason : undefined,
      attributes: {
        [names.operation]: 'invoke_agent',
        [names.agentId]: run.agentId,
        [names.agentName]: agentName,
        [names.agentVersion]: run.agentVersion === null ? undefined : String(run.agentVersion),
        [names.provider]: providerOf(asked),
        [names.model]: asked,
        [names.inputTokens]: run.inputTokens,
        [names.outputTokens]: run.outputTokens,
        [names.cachedTokens]: run.cachedTokens,
        [names.runId]: run.id,
        [names.ownerId]: run.ownerId,
        [names.requestId]: run.requestId,
        [names.sequence]: run.sequence,
        [names.trigger]: run.trigger,
        [names.runStatus]: status,
        [names.reason]: reason,
        [names.steps]: run.steps,
        [names.toolCalls]: run.toolCalls,
        [names.credits]: run.credits,
      },
    }
    return [span, waitOf('queue', { parent: ref, startedAt: run.acceptedAt, endedAt: run.startedAt ?? endedAt })]
  }

  return {
    /** Runs work of a run below its span. */
    async below<T>(runId: string, work: () => Promise<T>): Promise<T> {
      if (!tracing.isOn()) return work()
      const run = await Run.query(database).findById(runId).select('id', 'traceparent')
      return tracing.belowRun(run, work)
    },

    /** Records the span of a run, once its ending is committed. */
    ended(trx: Transaction, run: Run, ending: Ended): void {
      if (!spanOfRun(run)?.isSampled) return
      trx.executionPromise.then(
        () => tracing.recordSoon(() => endingSpans(run, ending)),
        () => undefined,
      )
    },

    /** Records a wait of a run, once its end is committed. */
    waited(trx: Transaction, run: Run, endedAt: Date): void {
      const [parent, { waitingCause: cause, waitingSince: startedAt }] = [spanOfRun(run), run]
      if (!parent || !cause || !startedAt || !tracing.isOn()) return
      trx.executionPromise.then(
        () => tracing.record(waitOf(cause, { parent, startedAt, endedAt })),
        () => undefined,
      )
    },
  }
}

const waitOf = (cause: string, span: Pick<PastSpan, 'parent' | 'startedAt' | 'endedAt'>): PastSpan => ({
  ...span,
  name: spanNames.wait(cause),
  attributes: { [names.waitCause]: cause },
})

interface Facts {
  agentName: string
  model: string | null
  originalId: string | null
  original: string | null
}

/** The agent and the model of a run, and the run that it replays. */
const factsStatement = statement<Facts>(`
  select a.name as "agentName", case when r.fallback_since is null then p.model else p.fallback_model end as model,
         o.id as "originalId", o.traceparent as original
    from runs r
    join agents a on a.id = r.agent_id
    left join runs o on o.id = r.replay_of
    left join lateral (select model, fallback_model from agent_prompts
                        where agent_id = r.agent_id and since_sequence <= r.sequence
                        order by since_sequence desc limit 1) p on true
   where r.id = :runId`)
