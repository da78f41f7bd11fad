import type { EventData } from '../../src/runs/timeline.ts'
import type { FilledAgent } from './agents.ts'
import type { Add, RowOf } from './columns.ts'
import { choosePast, sentenceOf, type Past } from './ending.ts'
import type { FilledRun } from './filled-run.ts'
import { timeOf } from './ids.ts'
import { moments, tokens, type createTimelines } from './timelines.ts'

interface Context {
  add: Add
  newId: (ms: number) => string
  random: () => number
  timelines: ReturnType<typeof createTimelines>
}

/** Writes the rows of `runs`, and the rows that belong to each run. */
export function createRunRows({ add, newId, random, timelines }: Context) {
  const next = (agent: FilledAgent, number: number, at: number, trigger: Past['trigger']): FilledRun => {
    agent.lastSequence += 1
    return { number, id: newId(at), agent, sequence: agent.lastSequence, trigger, at }
  }

  function write(run: FilledRun, rest: RowOf<'runs'>): void {
    const { id, agent, sequence, trigger, at } = run
    const accepted = timeOf(at)
    const whose = { id, agent_id: agent.id, owner_id: agent.ownerId, sequence, trigger }
    const counts = { epoch: 0, steps: 0, step_attempts: 0, attempt: 0, tool_calls: 0, credits: 0, events: 1 }
    const given = { accepted_at: accepted, progressed_at: accepted, request_id: id, input_tokens: 0, output_tokens: 0 }
    add('runs', { ...whose, ...counts, ...given, ...rest })
  }

  return {
    /** A run that ended. `isFull`: with its timeline; other runs have the same totals without one. */
    ended(agent: FilledAgent, number: number, at: number, isFull: boolean) {
      const past = choosePast(agent, agent.lastSequence + 1, random)
      const run = next(agent, number, at, past.trigger)
      const isSkipped = past.status === 'skipped'
      const end = at + (isSkipped ? 0 : moments.ended)
      write(run, { ...(isSkipped ? nothingDone : allDone(at)), ...endOf(past, end) })
      if (isFull && !isSkipped) timelines.full(run, endedData(past))
      return { run, past, end, hasTimeline: isFull && !isSkipped }
    },

    queued(agent: FilledAgent, number: number, at: number): FilledRun {
      const run = next(agent, number, at, agent.trigger)
      write(run, { status: 'queued' })
      timelines.accepted(run, agent.unfinished)
      agent.unfinished += 1
      return run
    },

    running(agent: FilledAgent, number: number, at: number): FilledRun {
      const run = next(agent, number, at, agent.trigger)
      const asked = timeOf(at + moments.asked)
      const begun = { started_at: timeOf(at + moments.started), progressed_at: asked, attempted_at: asked }
      write(run, { status: 'running', epoch: 1, step_attempts: 1, attempt: 1, events: 3, ...begun })
      timelines.begun(run)
      return begin(run)
    },

    /** A run with a timeline of this length, which ended or is running. */
    long(agent: FilledAgent, number: number, at: number, events: number, hasEnded: boolean): FilledRun {
      const run = next(agent, number, at, agent.trigger)
      const past: Past = { trigger: agent.trigger, status: 'completed', reason: null }
      const { end, calls, ...done } = timelines.long(run, events, hasEnded ? endedData(past) : undefined)
      const begun = { started_at: timeOf(at + moments.started), attempted_at: timeOf(end), progressed_at: timeOf(end) }
      const counts = {
        ...done,
        epoch: 1,
        tool_calls: calls,
        step_attempts: done.steps,
        attempt: 1,
        credits: done.steps,
      }
      write(run, { status: 'running', ...begun, ...counts, ...(hasEnded && endOf(past, end)) })
      return hasEnded ? run : begin(run)
    },

    waiting(agent: FilledAgent, number: number, at: number, until: number): FilledRun {
      const run = next(agent, number, at, agent.trigger)
      const since = timeOf(at + moments.sent)
      const wait = { waiting_cause: 'rate_limit', waiting_for: 'https://issues.example.com', waiting_since: since }
      const done = {
        epoch: 1,
        steps: 1,
        tool_calls: 1,
        credits: 1,
        events: 5,
        started_at: timeOf(at + moments.started),
      }
      const used = { input_tokens: tokens.input, output_tokens: tokens.output, progressed_at: since }
      write(run, { status: 'waiting', ...wait, waiting_until: timeOf(until), ...done, ...used })
      timelines.waiting(run, until)
      return begin(run)
    },
  }
}

function begin(run: FilledRun): FilledRun {
  run.agent.unfinished += 1
  run.agent.runningRunId = run.id
  return run
}

const nothingDone = { events: 2 }

const allDone = (at: number) => ({
  epoch: 1,
  steps: 2,
  tool_calls: 2,
  credits: 2,
  events: 10,
  input_tokens: 2 * tokens.input,
  output_tokens: 2 * tokens.output,
  started_at: timeOf(at + moments.started),
})

function endOf({ status, reason }: Past, end: number): RowOf<'runs'> {
  const ended = timeOf(end)
  const row = { status, reason, error: sentenceOf(reason), ended_at: ended, progressed_at: ended }
  return status === 'cancelled' ? { ...row, cancel_requested_at: ended, cancel_reason: reason } : row
}

const endedData = ({ status, reason }: Past): EventData['ended'] => ({ status, reason, message: sentenceOf(reason) })
