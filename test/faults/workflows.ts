import type { Fault } from './fault.ts'

/** What Temporal carries out, and the schema. These need a bundle or a template database of their own. */
export const workflows: Fault[] = [
  {
    id: 'workflows/wake-while-claiming',
    file: 'workflows/agent-queue.ts',
    find: "    await condition(() => woken, '3s')",
    replace: "    woken = false\n    await condition(() => woken, '3s')",
    why: 'a delivery that comes while its queue falls asleep waits for the reconciler',
    tests: ['test/workflows/drain.test.ts'],
    match: 'a wake-up that comes while the queue claims*',
  },
  {
    id: 'workflows/never-anew',
    file: 'workflows/agent-queue.ts',
    find: "if (workflowInfo().continueAsNewSuggested && patched('continue-idle'))",
    replace: 'if (false)',
    why: 'the history of a queue that is woken for nothing grows until Temporal ends it',
    tests: ['test/workflows/drain.test.ts'],
  },
  {
    id: 'workflows/unpatched-attribute',
    file: 'workflows/agent-run.ts',
    find: "const isShown = patched('waiting-for')",
    replace: 'const isShown = true',
    why: 'runs that wait while a deploy happens cannot be replayed, and stand still',
    tests: ['test/workflows/replay.test.ts'],
  },
  {
    id: 'workflows/no-summary',
    file: 'workflows/agent-run.ts',
    find: "summary: label || 'tool call'",
    replace: "summary: ''",
    why: 'operators no longer see in Temporal which tool is called',
    tests: ['test/workflows/in-temporal.test.ts'],
  },
  {
    id: 'workflows/calls-one-after-another',
    file: 'workflows/agent-run.ts',
    find: `  await Promise.all(
    calls.map(({ callId, label }) =>
      callTool.executeWithOptions({ ...toolOptions, ...place, summary: label || 'tool call' }, [
        { ...refOf(input), callId },
      ]),
    ),
  )`,
    replace: `  for (const { callId, label } of calls)
    await callTool.executeWithOptions({ ...toolOptions, ...place, summary: label || 'tool call' }, [
      { ...refOf(input), callId },
    ])`,
    why: 'the calls of a step, which a model has asked for together, take as long as all of them',
    tests: ['test/src/tools/effects.test.ts'],
    match: 'the calls of one step are made side by side',
  },
  {
    id: 'workflows/calls-beside-models',
    file: 'workflows/agent-run.ts',
    find: "const place = patched('tool-queue') ?",
    replace: "const place = patched('tool-queue') && calls.length > 100 ?",
    why: 'tool calls stay on the task queue of the models',
    tests: ['test/workflows/in-temporal.test.ts'],
  },
  {
    id: 'workflows/resume-is-late',
    file: 'workflows/agent-run.ts',
    find: 'await condition(isResumed, ms)',
    replace: 'await condition(() => false, ms)',
    why: 'a run whose site was connected again goes on a day later',
    tests: ['test/workflows/in-temporal.test.ts'],
    match: 'a run that waits goes on*',
  },
  {
    id: 'workflows/resume-is-lost',
    file: 'workflows/agent-run.ts',
    find: `    resumed = false
    const move = await ask(input, step)
`,
    replace: `    const move = await ask(input, step)
    resumed = false
`,
    why: 'a resume that comes a moment before the wait begins is lost',
    tests: ['test/workflows/in-temporal.test.ts'],
    match: 'a resume that comes while*',
  },
  {
    id: 'workflows/cancelled-ending',
    file: 'workflows/agent-run.ts',
    find: "if (status === 'cancelled' || status === 'skipped') throw new CancelledFailure('the run was cancelled')",
    replace: '',
    why: 'a cancelled run is green in Temporal',
    tests: ['test/workflows/in-temporal.test.ts'],
  },
  {
    id: 'workflows/ending-is-cancelled',
    file: 'workflows/agent-run.ts',
    find: 'await CancellationScope.nonCancellable(() => endRun({ ...refOf(input), agentId: input.agentId, status, reason }))',
    replace: 'await endRun({ ...refOf(input), agentId: input.agentId, status, reason })',
    why: 'a run that has completed is recorded as cancelled because somebody cancels it at that moment',
    tests: ['test/workflows/replay.test.ts'],
    match: 'a run that is cancelled when its end*',
  },
  {
    id: 'workflows/cancel-is-not-recorded',
    file: 'workflows/agent-run.ts',
    find: `  await CancellationScope.nonCancellable(() =>
    endRun({ ...refOf(input), agentId: input.agentId, status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' }),
  )`,
    replace:
      "  await endRun({ ...refOf(input), agentId: input.agentId, status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' })",
    why: 'a run that an operator cancels in Temporal goes on in the record, and holds its queue',
    tests: ['test/workflows/replay.test.ts'],
    match: '*run-cancelled-in-model-call',
  },
  {
    id: 'workflows/nominal-time',
    file: 'workflows/cron-tick.ts',
    find: 'const nominalAt = nominal.toISOString()',
    replace: 'const nominalAt = new Date().toISOString()',
    why: 'a late fire is recorded for a time that the schedule does not name, and lost',
    tests: ['test/workflows/in-temporal.test.ts'],
  },
  {
    id: 'activities/retry-after-is-lost',
    file: 'activities/perform.ts',
    find: 'nextRetryDelay: Math.ceil(retryAfter * 1000)',
    replace: 'nextRetryDelay: Math.ceil(retryAfter)',
    why: 'a provider that asks for a minute is asked again at once',
    tests: ['test/activities/perform.test.ts'],
  },
  {
    id: 'activities/code-is-final',
    file: 'activities/perform.ts',
    find: 'return failure(error.code, error.message, error.retryable, error.retryAfter)',
    replace: 'return failure(error.code, error.message, false, error.retryAfter)',
    why: 'one failed model call ends the run',
    tests: ['test/activities/perform.test.ts'],
  },
  {
    id: 'activities/surprised-for-ever',
    file: 'activities/perform.ts',
    find: 'const count = (unexpectedCounts.get(key) ?? 0) + 1',
    replace: 'const count = 1',
    why: 'a run that fails for a reason nobody foresaw is tried until Temporal ends it after a day',
    tests: ['test/activities/perform.test.ts'],
  },
  {
    id: 'activities/stale-ending-fails',
    file: 'activities/runs.ts',
    find: 'if (!(error instanceof StaleEpochError)) throw error',
    replace: 'throw error',
    why: 'a queue whose run was taken over fails with it, and its agent stands still',
    tests: ['test/activities/perform.test.ts'],
  },
  {
    id: 'migrations/two-at-once',
    file: 'migrations/baseline/runs.ts',
    find: "create unique index runs_one_active on runs (agent_id) where status in ('running', 'waiting');",
    replace: "create index runs_one_active on runs (agent_id) where status in ('running', 'waiting');",
    why: 'nothing but the code keeps two runs of an agent from being under way at once',
    tests: ['test/src/runs/constraints.test.ts'],
  },
  {
    id: 'migrations/key-of-all-agents',
    file: 'migrations/baseline/runs.ts',
    find: 'constraint idempotency_keys_pkey primary key (agent_id, key)',
    replace: 'constraint idempotency_keys_pkey primary key (key)',
    why: 'a key that a sender uses with one agent is taken for all others',
    tests: ['test/src/runs/constraints.test.ts'],
  },
]
