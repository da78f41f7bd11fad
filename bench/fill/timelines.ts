import type { EventData } from '../../src/runs/timeline.ts'
import { withoutDefaults } from '../../src/runs/default-event-data.ts'
import type { Add } from './columns.ts'
import { escaped } from './copies.ts'
import type { FilledRun } from './filled-run.ts'
import { timeOf } from './ids.ts'
import { answers, argumentsOf, payloadOf, resultOf, unknownTool } from './texts.ts'

/** The times of a run's events, in milliseconds after its acceptance. */
export const moments = { started: 40, asked: 60, answered: 900, sent: 950, received: 1400, reported: 2300, ended: 2340 }

/** The tokens of each of the two steps of a run. */
export const tokens = { input: 812, output: 96 }

const site = 'https://issues.example.com'

/** Writes timelines event by event, as the code of `src/runs` does. */
export function createTimelines(add: Add, newId: (ms: number) => string) {
  const event = <K extends keyof EventData>(
    run: FilledRun,
    number: number,
    after: number,
    kind: K,
    data: EventData[K],
  ) =>
    add('run_events', {
      run_id: run.id,
      at: timeOf(run.at + after),
      number,
      kind,
      data: escaped(JSON.stringify(withoutDefaults(kind, { ...data }))),
    })

  function step(run: FilledRun, number: number, after: number, finish: string): void {
    add('steps', {
      subject_id: run.id,
      step: number,
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      credits: 1,
      latency_ms: 840,
      recorded_at: timeOf(run.at + after),
      model: 'demo',
      finish,
      answer: answers[(number - 1) % answers.length] ?? null,
    })
  }

  function call(run: FilledRun, position: number, name: string, rest: Parameters<typeof add<'tool_calls'>>[1]): string {
    const id = newId(run.at + moments.answered)
    const planned = { planned_at: timeOf(run.at + moments.answered), arguments: argumentsOf(run.number) }
    const fixed = {
      subject_id: run.id,
      step: 1,
      position,
      id,
      effect: 'once',
      model_call_id: `demo_2_${position}`,
      name,
    }
    add('tool_calls', { ...fixed, ...planned, attempts: 0, epoch: 0, ...rest })
    return id
  }

  /** The event that accepting a run writes, and its payload. */
  function accepted(run: FilledRun, ahead: number): void {
    event(run, 1, 0, 'accepted', { trigger: run.trigger, sequence: run.sequence, ahead })
    if (run.trigger === 'webhook') add('run_inputs', { run_id: run.id, payload: payloadOf(run.number, timeOf(run.at)) })
  }

  /** Three events: the run is claimed, and its first model call starts. */
  function begun(run: FilledRun): void {
    accepted(run, 0)
    event(run, 2, moments.started, 'started', { epoch: 1, override: 'absent' })
    event(run, 3, moments.asked, 'step.started', { step: 1, attempt: 1 })
  }

  return {
    accepted,
    begun,

    /** Five events: the model requests a call, and the site accepts no more calls for now. */
    waiting(run: FilledRun, until: number): void {
      begun(run)
      step(run, 1, moments.answered, 'tool-calls')
      const wait = { status: 'planned', wait_cause: 'rate_limit', not_before: timeOf(until) }
      call(run, 0, 'issue_tracker_create_issue', { ...wait, site_origin: site, tool: 'issues.createIssue' })
      event(run, 4, moments.answered, 'step.finished', { step: 1, attempt: 1 })
      const note = 'The site limits the number of calls.'
      const facts = { cause: 'rate_limit', site, until: timeOf(until), calls: 1, note } as const
      event(run, 5, moments.sent, 'wait.started', facts)
    },

    /** Ten events in two steps. The first step requests a call, and another one whose tool does not exist. */
    full(run: FilledRun, ended: EventData['ended']): void {
      begun(run)
      step(run, 1, moments.answered, 'tool-calls')
      const [sent, received] = [timeOf(run.at + moments.sent), timeOf(run.at + moments.received)]
      const good = call(run, 0, 'issue_tracker_create_issue', {
        site_origin: site,
        tool: 'issues.createIssue',
        status: 'succeeded',
        attempts: 1,
        epoch: 1,
        started_at: sent,
        ended_at: received,
        http_status: 200,
        result: resultOf(run.number),
      })
      const planned = timeOf(run.at + moments.answered)
      const bad = call(run, 1, 'searchIssues', { status: 'failed', ended_at: planned, result: unknownTool })
      event(run, 4, moments.answered, 'step.finished', { step: 1, attempt: 1 })
      const note = 'Nothing was sent to the site.'
      event(run, 5, moments.answered, 'tool.finished', { callId: bad, attempts: 0, status: 'failed', note })
      event(run, 6, moments.sent, 'tool.started', { callId: good, attempt: 1 })
      event(run, 7, moments.received, 'tool.finished', { callId: good, attempts: 1, status: 'succeeded' })
      event(run, 8, moments.received, 'step.started', { step: 2, attempt: 1 })
      step(run, 2, moments.reported, 'stop')
      event(run, 9, moments.reported, 'step.finished', { step: 2, attempt: 1 })
      event(run, 10, moments.ended, 'ended', ended)
    },

    /**
     * At least this many events: steps with three calls each. Every fifth call is sent twice, and after every fourth
     * step the site accepts no calls for a while. Without `ended`, one more step is under way.
     */
    long(run: FilledRun, events: number, ended?: EventData['ended']) {
      const last = { number: 1, after: 0 }
      let [steps, calls] = [0, 0]
      const next = <K extends keyof EventData>(ms: number, kind: K, data: EventData[K]) =>
        event(run, (last.number += 1), (last.after += ms), kind, data)

      function callAgain(position: number): void {
        const done = { site_origin: site, tool: 'issues.createIssue', status: 'succeeded', http_status: 200 }
        const times = { started_at: timeOf(run.at + last.after), ended_at: timeOf(run.at + last.after + 450) }
        const result = resultOf(run.number)
        const callId = call(run, position, 'issue_tracker_create_issue', { ...done, ...times, step: steps, result })
        const isRepeated = (calls += 1) % 5 === 0
        next(5, 'tool.started', { callId, attempt: 1 })
        if (isRepeated) {
          next(200, 'tool.failed', { callId, attempt: 1, message: 'The site answered 503.', willRetry: true })
          next(1000, 'tool.started', { callId, attempt: 2 })
        }
        next(450, 'tool.finished', { callId, attempts: isRepeated ? 2 : 1, status: 'succeeded' })
      }

      accepted(run, 0)
      next(moments.started, 'started', { epoch: 1, override: 'absent' })
      while (last.number < events - 1) {
        steps += 1
        next(20, 'step.started', { step: steps, attempt: 1 })
        step(run, steps, last.after, 'tool-calls')
        next(840, 'step.finished', { step: steps, attempt: 1 })
        for (const position of [0, 1, 2]) callAgain(position)
        if (steps % 4 > 0) continue
        const until = timeOf(run.at + last.after + 5000)
        next(5, 'wait.started', { cause: 'rate_limit', site, until, calls: 1, note: 'The site limits calls.' })
        next(5000, 'wait.ended', { cause: 'rate_limit', ms: 5000 })
      }
      if (ended) next(40, 'ended', ended)
      else next(20, 'step.started', { step: steps + 1, attempt: 1 })
      return { events: last.number, steps, calls, end: run.at + last.after }
    },
  }
}
